import type { Log } from '@pilothouse/core/ports/runtime.port';
import { upsertConditions, type Pool } from '@pilothouse/infra-db';

/** Called when processes of a worker were killed because they ran out of memory. */
export type OnOutOfMemory = (fleet: string, worker: string, processes: number) => void;

/**
 * Stores out-of-memory reports as a condition of the fleet. Only the worker notices them: a killed renderer leaves its pod running, so
 * Kubernetes reports nothing.
 */
export const recordOutOfMemory =
  (pool: Pool, log: Log): OnOutOfMemory =>
  (fleet, worker, processes) => {
    const subject = processes === 1 ? 'A process' : `${processes} processes`;
    const message = `${subject} of worker ${worker} ran out of memory (killed in its cgroup; the worker continues). Increase memory or reduce slots of the fleet.`;
    // A worker is not trusted, so the number is limited.
    const times = Math.min(1_000, Math.max(1, Math.round(processes)));
    upsertConditions(pool, fleet, [{ reason: 'OutOfMemory', message, times }]).catch((error: unknown) =>
      log.warn({ fleet, error: String(error) }, 'fleet condition not stored'),
    );
  };
