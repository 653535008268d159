import type { Metrics } from '@pilothouse/infra-telemetry';

/** Declares the metric. `hit` / (`hit` + `miss`) is the hit rate. */
export const declareScreenParses = (metrics: Metrics) =>
  metrics.counter({
    name: 'screen_parses_total',
    help: 'Requests of desktop workers for the elements of a screenshot. The hit rate of the cache is hit / (hit + miss)',
    labels: { result: ['hit', 'miss', 'failed'] },
  });
