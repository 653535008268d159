/** Says for whom a migration waits, while it waits: for its locks it may be hours. */
import type { Log } from '@pilothouse/core';
import { setTimeout as delay } from 'node:timers/promises';
import { MIGRATOR_APPLICATION_NAME, withClient } from './database.ts';

export interface LockWaitLogOptions {
  databaseUrl: string;
  /** Milliseconds after which it is said, and again. */
  everyMs: number;
  log: Pick<Log, 'warn'>;
}

/** Does `work`, which migrates, and says meanwhile who is in its way. @throws what `work` throws */
export async function logLockWaits<Result>(
  { databaseUrl, everyMs, log }: LockWaitLogOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const done = new AbortController();
  const watch = async () => {
    for (;;) {
      await delay(everyMs, undefined, { signal: done.signal });
      // Where the database does not answer, `work` says so.
      const waitsFor = await inTheWay(databaseUrl).catch(() => []);
      if (waitsFor.length > 0) log.warn({ waitsFor }, 'A migration waits for the transactions of others');
    }
  };
  const watched = watch().catch(() => {});
  try {
    return await work();
  } finally {
    done.abort();
    await watched;
  }
}

/** Those for whom a migration waits at this moment, as far as this login may see them. */
const inTheWay = (databaseUrl: string) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ pid: number; name: string | null; seconds: number | null }>(
      `SELECT b.pid, b.application_name AS name, round(extract(epoch FROM clock_timestamp() - b.xact_start))::int AS seconds
       FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS way (pid) JOIN pg_stat_activity b ON b.pid = way.pid
       WHERE w.datname = current_database() AND w.application_name = '${MIGRATOR_APPLICATION_NAME}' AND w.wait_event_type = 'Lock'
       ORDER BY b.xact_start`,
    );
    return rows;
  });
