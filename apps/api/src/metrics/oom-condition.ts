import type { Log } from '@pilothouse/core';
import { upsertConditions, type Pool } from '@pilothouse/infra-db';

/** Told that processes of a worker were killed for want of memory. */
export type OnOutOfMemory = (fleet: string, worker: string, processes: number) => void;

/**
 * Names what only the worker can know: a renderer that was killed alone leaves its pod running, so Kubernetes reports nothing. Shown with the
 * conditions that the controller sees.
 */
export const recordOutOfMemory =
  (pool: Pool, log: Log): OnOutOfMemory =>
  (fleet, worker, processes) => {
    const what = processes === 1 ? 'A process' : `${processes} processes`;
    const message = `${what} of worker ${worker} ran out of memory (killed in its cgroup; the worker goes on): give the fleet more memory, or fewer slots`;
    // A worker is not trusted: one that tells of a million kills counts as one that tells of many.
    const times = Math.min(1_000, Math.max(1, Math.round(processes)));
    upsertConditions(pool, fleet, [{ reason: 'OutOfMemory', message, times }]).catch((error: unknown) =>
      log.warn({ fleet, error: String(error) }, 'A condition of a fleet could not be kept'),
    );
  };
