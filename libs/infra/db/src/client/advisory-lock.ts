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

/** A lock on a dedicated connection. */
export interface AdvisoryLockSession {
  readonly client: PoolClient;
  /** Aborts when the connection is lost, and the lock with it. */
  readonly lossSignal: AbortSignal;
  /** Ends the connection, and the lock with it. */
  release(): void;
}

/** Opens a session with the lock. Returns null while another session has it. */
export async function openAdvisoryLock(pool: Pool, name: AdvisoryLockName): Promise<AdvisoryLockSession | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onError = (error: Error) => lost.abort(error);
  client.on('error', onError);
  const release = (isDestroyed: boolean) => {
    client.off('error', onError);
    client.release(isDestroyed);
  };
  try {
    if (await tryAdvisoryLock(client, name)) return { client, lossSignal: lost.signal, release: () => release(true) };
  } catch (error) {
    release(true);
    throw error;
  }
  release(false);
  return null;
}

/** Runs `work` alone over all replicas. Returns null without running it while another process has the lock. */
export async function withAdvisoryLock<Result>(
  pool: Pool,
  name: AdvisoryLockName,
  work: (session: AdvisoryLockSession) => Promise<Result>,
): Promise<Result | null> {
  const session = await openAdvisoryLock(pool, name);
  if (!session) return null;
  try {
    return await work(session);
  } finally {
    session.release();
  }
}
