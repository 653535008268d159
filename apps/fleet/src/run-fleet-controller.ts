import { once } from 'node:events';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { createFleetState, createPool } from '@pilothouse/infra-db';
import { createJoinTokens } from './driver/join-tokens.ts';
import { FleetApp, type FleetSettings } from './fleet-app.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Runs the controller until a signal. Then local workers hand back their runs and exit. A second signal kills the remaining workers.
 * @throws if the data folder, the port or the cluster is not available. Outages of the database or the Kubernetes API are retried.
 */
export async function runFleetController(
  { joinTokenTtlSeconds, ...settings }: FleetSettings & { readonly joinTokenTtlSeconds: number },
  databaseUrl: string,
  log: Log,
): Promise<void> {
  const stop = new AbortController();
  const forceStop = new AbortController();
  const onSignal = () => (stop.signal.aborted ? forceStop : stop).abort();
  for (const signal of signals) process.on(signal, onSignal);
  const pool = createPool({ databaseUrl, max: 4, name: 'fleet', log });
  try {
    const app = await FleetApp.start(
      settings,
      { state: createFleetState(pool), joinTokens: createJoinTokens(pool, joinTokenTtlSeconds) },
      log,
    );
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    log.info({}, 'controller stopping');
    await app.stop(forceStop.signal);
    log.info({}, 'controller stopped');
  } finally {
    await pool.end();
    for (const signal of signals) process.off(signal, onSignal);
  }
}
