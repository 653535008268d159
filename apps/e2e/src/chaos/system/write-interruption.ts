import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@pilothouse/infra-db';

/** What becomes of a write whose answer never comes. */
export type WriteOutcome = 'lost' | 'kept';

/** Milliseconds that writes are held for one to break. */
const HOLD_MS = 2_000;

/** Ends the connection of one of those that write runs and are held. */
const END_ONE = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE (wait_event_type = 'Lock' OR wait_event = 'SyncRep') AND datname = current_database() AND query LIKE '%WITH item AS (%' LIMIT 1
`;

/** Each holds every write of runs, which takes a millisecond else. @returns what lets them go on */
const holds: Readonly<Record<WriteOutcome, (pool: Pool) => Promise<() => Promise<void>>>> = {
  lost: async (pool) => {
    const holding = await pool.connect();
    const letGo = () => holding.release(true);
    await holding.query('BEGIN; LOCK TABLE run_event IN SHARE MODE').catch((thrown: unknown) => {
      letGo();
      throw thrown;
    });
    return async () => letGo();
  },
  // A commit that is on disk waits for a standby, and there is none.
  kept: async (pool) => {
    const waitFor = async (standby: string) => {
      await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
      await pool.query('SELECT pg_reload_conf()');
    };
    await waitFor('nobody');
    return () => waitFor('');
  },
};

/**
 * Breaks the connection of one write of runs in the middle of it: before it is committed, or after. What else is written goes on at once.
 * @returns whether there was one
 */
export async function breakWrite(pool: Pool, fate: WriteOutcome): Promise<boolean> {
  const letGo = await holds[fate](pool);
  try {
    const until = performance.now() + HOLD_MS;
    for (;;) {
      const { rowCount } = await pool.query(END_ONE);
      if (rowCount !== 0 || performance.now() > until) return rowCount !== 0;
      await pause(2);
    }
  } finally {
    await letGo();
  }
}
