import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@pilothouse/infra-db';

/** Outcome of a write without a response. */
export type WriteOutcome = 'lost' | 'kept';

/** Milliseconds for which writes are held until one is broken. */
const BLOCK_MS = 2_000;

/** Terminates the connection of one held write of runs. */
const TERMINATE_ONE_SQL = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE (wait_event_type = 'Lock' OR wait_event = 'SyncRep') AND datname = current_database() AND query LIKE '%WITH item AS (%' LIMIT 1
`;

/**
 * Each mode holds every write of runs, which otherwise takes a millisecond.
 * @returns a function that releases them
 */
const blockWrites: Readonly<Record<WriteOutcome, (pool: Pool) => Promise<() => Promise<void>>>> = {
  lost: async (pool) => {
    const connection = await pool.connect();
    const releaseLock = () => connection.release(true);
    await connection.query('BEGIN; LOCK TABLE run_event IN SHARE MODE').catch((error: unknown) => {
      releaseLock();
      throw error;
    });
    return async () => releaseLock();
  },
  // A committed transaction waits for a standby that does not exist.
  kept: async (pool) => {
    const waitFor = async (standby: string) => {
      await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
      await pool.query('SELECT pg_reload_conf()');
    };
    await waitFor('missing');
    return () => waitFor('');
  },
};

/**
 * Breaks the connection of one write of runs, before or after its commit. Other writes continue immediately.
 * @returns true when there was one
 */
export async function breakWrite(pool: Pool, outcome: WriteOutcome): Promise<boolean> {
  const unblock = await blockWrites[outcome](pool);
  try {
    const deadline = performance.now() + BLOCK_MS;
    for (;;) {
      const { rowCount } = await pool.query(TERMINATE_ONE_SQL);
      if (rowCount !== 0 || performance.now() > deadline) return rowCount !== 0;
      await pause(2);
    }
  } finally {
    await unblock();
  }
}
