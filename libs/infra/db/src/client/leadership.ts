import { withTimeout } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { Pool, PoolClient } from './pg-pool.ts';

/** Advisory locks of the database, one number for each kind of singleton work. */
export const advisoryLocks = {
  sweeper: 7_447_001,
  fleetController: 7_447_002,
  retention: 7_447_003,
  proposals: 7_447_011,
  firstUser: 7_100_001,
  /** Lock number of the Prisma CLI, so that it never migrates at the same time. */
  migration: 72_707_369,
} as const;

export type AdvisoryLockName = keyof typeof advisoryLocks;

/** Tries to lock for the session of `client`, without waiting. The lock ends with the connection. */
export async function tryAdvisoryLock(client: Pick<PoolClient, 'query'>, name: AdvisoryLockName): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"', [
    advisoryLocks[name],
  ]);
  return rows[0]?.isLocked === true;
}

/** Work that one process at a time does, over all replicas. */
export type LeaderRole = 'sweeper' | 'fleetController' | 'retention' | 'proposals';

/** Leadership of one process. It is an advisory lock on a dedicated connection, and ends with it. */
export interface LeaderSession {
  readonly client: PoolClient;
  /** Aborts when the connection is lost: another process may lead. */
  readonly lossSignal: AbortSignal;
  /** Gives up leadership. When it resolves, another process can lead. Never throws. */
  release(): Promise<void>;
}

/** Milliseconds for an explicit unlock. Without an answer the lock ends with the connection. */
const UNLOCK_TIMEOUT_MS = 1_000;

/** Becomes the leader, without waiting. Returns null while another process leads. */
export async function tryLead(pool: Pool, role: LeaderRole): Promise<LeaderSession | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onError = (error: Error) => lost.abort(error);
  client.on('error', onError);
  const close = (isDestroyed: boolean) => {
    client.off('error', onError);
    client.release(isDestroyed);
  };
  try {
    if (await tryAdvisoryLock(client, role))
      return { client, lossSignal: lost.signal, release: () => unlock(client, role).finally(() => close(true)) };
  } catch (error) {
    close(true);
    throw error;
  }
  close(false);
  return null;
}

/** PostgreSQL notices the end of a connection a moment later; an unlock is seen at once. Never throws. */
async function unlock(client: PoolClient, role: LeaderRole): Promise<void> {
  const query = client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks[role]]);
  await withTimeout(query, UNLOCK_TIMEOUT_MS).catch(() => undefined);
}

/** Waits until this process leads. @throws the reason of the signal; errors of PostgreSQL */
export async function waitToLead(
  pool: Pool,
  role: LeaderRole,
  { signal, retryMs, timers = systemTimers }: { signal: AbortSignal; retryMs: number; timers?: Timers },
): Promise<LeaderSession> {
  for (;;) {
    signal.throwIfAborted();
    const session = await tryLead(pool, role);
    if (session) return session;
    await timers.delay(retryMs, signal);
  }
}

/** Runs `work` alone over all replicas. Returns null without running it while another process leads. */
export async function runAsLeader<Result>(
  pool: Pool,
  role: LeaderRole,
  work: (session: LeaderSession) => Promise<Result>,
): Promise<Result | null> {
  const session = await tryLead(pool, role);
  if (!session) return null;
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}

/** Milliseconds since a leader wrote the heartbeat of its role; null without one. */
export async function leaderSilenceMs(pool: Pool, role: LeaderRole): Promise<number | null> {
  const { rows } = await pool.query<{ silentMs: number }>(
    `SELECT (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS "silentMs" FROM heartbeat WHERE name = $1`,
    [role],
  );
  return rows[0]?.silentMs ?? null;
}

/**
 * Ends the connection of a leader when nothing arrived over it for `ms`. Its process is suspended or cut off, and would block all others for
 * as long as the connection exists. Its late writes must be fenced. Only the connection is checked, and the heartbeat only if its activity is
 * not visible: a new leader is not ended because of its predecessor.
 * @returns whether a connection was ended; its lock is released a moment later
 * @throws errors of PostgreSQL, also without the privilege to end the connection
 */
export async function terminateSilentLeader(pool: Pool, role: LeaderRole, ms: number): Promise<boolean> {
  const { rows } = await pool.query<{ ended: boolean }>(
    `SELECT pg_terminate_backend(l.pid) AS ended
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid LEFT JOIN heartbeat h ON h.name = $3
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1 AND l.objsubid = 1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND coalesce(a.state_change, h.seen_at) < clock_timestamp() - $2 * interval '1 millisecond'`,
    [advisoryLocks[role], ms, role],
  );
  return rows.some(({ ended }) => ended);
}
