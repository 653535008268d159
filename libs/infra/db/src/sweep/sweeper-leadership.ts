import { advisoryLocks } from '../client/advisory-lock.ts';
import type { PoolClient } from '../client/pg-pool.ts';

/** Result of an attempt to become the leader. */
export interface LeadershipAttempt {
  isLeader: boolean;
  /** Milliseconds since the last heartbeat of any sweeper; null without one. */
  silentMs: number | null;
}

/** Tries to become the sweeper on a dedicated connection; the lock ends with the connection. */
export async function tryLeadSweeper(client: PoolClient): Promise<LeadershipAttempt> {
  const { rows } = await client.query<LeadershipAttempt>(
    `SELECT pg_try_advisory_lock($1) AS "isLeader",
       (SELECT extract(epoch FROM clock_timestamp() - seen_at) * 1000 FROM heartbeat WHERE name = 'sweeper')::float8 AS "silentMs"`,
    [advisoryLocks.sweeper],
  );
  return rows[0] ?? { isLeader: false, silentMs: null };
}

/**
 * Ends the connection of the leading sweeper when nothing arrived over it for `ms`. Its process is suspended or cut off, and would block
 * all other sweepers for as long as the connection exists. Its late writes are fenced like all others. Only the connection is checked, and only
 * if its activity is not visible in the heartbeat: a new leader is not ended because of its predecessor.
 * @returns whether a connection was ended; its lock is released a moment later
 * @throws errors of PostgreSQL, also without the privilege to end the connection
 */
export async function terminateSilentLeader(client: PoolClient, ms: number): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    `SELECT pg_terminate_backend(l.pid) AS ended
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid LEFT JOIN heartbeat h ON h.name = 'sweeper'
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1 AND l.objsubid = 1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND coalesce(a.state_change, h.seen_at) < clock_timestamp() - $2 * interval '1 millisecond'`,
    [advisoryLocks.sweeper, ms],
  );
  return rows.some(({ ended }) => ended);
}
