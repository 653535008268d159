import type { Pool } from '../client/pg-pool.ts';

/** Name of the advisory lock that only one round of retention holds over all replicas. */
const RETENTION_LOCK = 7_447_003;

/** The right to remove, held on a connection of its own: it ends with the connection. */
export interface RetentionLock {
  /** Whether no round of the job began within `everyMs`; if so, one begins now. */
  isDue(everyMs: number): Promise<boolean>;
  release(): void;
}

/** Takes the turn to remove, unless somebody else has it: then null. */
export async function tryRetentionLock(pool: Pool): Promise<RetentionLock | null> {
  const client = await pool.connect();
  // A connection that breaks takes the lock with it; the statements of the round tell of it.
  const broken = () => undefined;
  client.on('error', broken);
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [RETENTION_LOCK]);
    if (rows[0]?.mine !== true) {
      client.off('error', broken);
      client.release();
      return null;
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  return {
    async isDue(everyMs) {
      const { rowCount } = await client.query(
        `INSERT INTO heartbeat (name, seen_at) VALUES ('retention', clock_timestamp())
         ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
         WHERE heartbeat.seen_at <= clock_timestamp() - $1 * interval '1 millisecond'`,
        [everyMs],
      );
      return rowCount === 1;
    },
    release: () => client.release(true),
  };
}
