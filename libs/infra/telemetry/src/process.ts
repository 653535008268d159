import { collectDefaultMetrics, type Registry } from 'prom-client';

// The library's names against the rules of naming: "_total" is for counters.
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/** Adds the memory, the cores and the event loop of this process to a registry, under their usual names. */
export function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
}
