import type { Pool } from './pg-pool.ts';

/** Name of the advisory lock that only one look at proposals holds over all replicas. */
const PROPOSALS_LOCK = 7_447_011;

/** Does work alone over all replicas; nothing when somebody else is at it. */
export async function withProposalsLock(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  // A connection that breaks takes the lock with it; the statements of the work tell of it.
  const broken = () => undefined;
  client.on('error', broken);
  // A connection that did not answer is of no use to the next one.
  let mine = true;
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [PROPOSALS_LOCK]);
    mine = rows[0]?.mine !== false;
    if (mine) await work();
  } finally {
    client.off('error', broken);
    // The lock ends with its connection.
    client.release(mine);
  }
}
