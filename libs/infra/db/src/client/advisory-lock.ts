import type { PoolClient } from './pg-pool.ts';

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
