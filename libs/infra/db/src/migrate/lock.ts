/** One process migrates at a time, over all machines: an advisory lock in the database itself. */
import { PilothouseError } from '@pilothouse/contract';
import { setTimeout as delay } from 'node:timers/promises';
import { MIGRATOR_APPLICATION_NAME, withClient } from './database.ts';

/** Any number that nobody else uses for an advisory lock in this database; Prisma's engine holds 72707369 itself. */
const LOCK_ID = 7_456_801_233;

/** Between two tries, in milliseconds. */
const RETRY_MS = 100;

export interface LockOptions {
  databaseUrl: string;
  /** Longest wait for the lock, in milliseconds. */
  deadlineMs: number;
  /** Ends the wait, with its reason. Once the lock is held, `work` runs to its end. */
  signal: AbortSignal;
}

/**
 * Runs `work` while holding the lock. It asks again and again instead of waiting inside PostgreSQL, where the waiting statement would keep
 * a snapshot for which the other's `CREATE INDEX CONCURRENTLY` waits in turn.
 *
 * Throws `UNAVAILABLE` at the deadline, the signal's reason when it aborts during the wait, and what `work` throws.
 */
export function withMigrationLock<Result>(
  { databaseUrl, deadlineMs, signal }: LockOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + deadlineMs;
  return withClient(databaseUrl, async (client) => {
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [LOCK_ID]);
      // The end of the session releases the lock, also when this process dies.
      if (rows[0]?.held) return work();
      await delay(RETRY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    throw new PilothouseError(
      'UNAVAILABLE',
      `Another process has been migrating this database for ${Math.round(deadlineMs / 1000)} s. See what it does in ` +
        `pg_stat_activity (application_name '${MIGRATOR_APPLICATION_NAME}') and pg_stat_progress_create_index: an index may wait for others for hours. ` +
        `Start again when it is done, and end it only if it hangs.`,
    );
  });
}
