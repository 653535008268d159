import { once } from 'node:events';
import type { Log } from '@pilothouse/core';
import { createFleetState, createPool } from '@pilothouse/infra-db';
import { FleetApp, type FleetSettings } from './fleet-app.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The controller as a process: runs until a signal, then has workers that live with it hand back their runs and end. A second signal kills what is left.
 * @throws where the data folder, the port or the cluster cannot be had; the database and the Kubernetes API may come and go
 */
export async function runFleetController(settings: FleetSettings, databaseUrl: string, log: Log): Promise<void> {
  const stop = new AbortController();
  const hurry = new AbortController();
  const onSignal = () => (stop.signal.aborted ? hurry : stop).abort();
  for (const signal of signals) process.on(signal, onSignal);
  const pool = createPool({ databaseUrl, max: 4, name: 'fleet', log });
  try {
    const app = await FleetApp.start(settings, createFleetState(pool), log);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    log.info({}, 'The controller stops');
    await app.stop(hurry.signal);
    log.info({}, 'The controller has stopped');
  } finally {
    await pool.end();
    for (const signal of signals) process.off(signal, onSignal);
  }
}
