// Creates, drops and locks whole databases. The schema engine of the Prisma CLI (`scripts/prisma-engine`) uses it too, so errors of `pg` pass
// through unchanged; `pgErrorCode` reads their codes.
import pg from 'pg';
import { PilothouseError } from '@pilothouse/contract';
import { systemTimers } from '@pilothouse/core';
import type { Client } from 'pg';
import { tryAdvisoryLock } from '../client/advisory-lock.ts';

/** SQLSTATE codes that are told apart here. */
export const sqlStates = {
  databaseMissing: '3D000',
  databaseExists: '42P04',
  uniqueViolation: '23505',
  tableMissing: '42P01',
  schemaMissing: '3F000',
  wrongPassword: '28P01',
  loginRefused: '28000',
  notAllowed: '42501',
  lockNotAvailable: '55P03',
  deadlock: '40P01',
} as const;

/** The code of a thrown thing: SQLSTATE of a PostgreSQL error, `ECONNREFUSED` and the like of a system error. */
export function pgErrorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** What a thrown thing says. A host with several addresses gives an AggregateError, whose own message is empty. */
export function pgErrorMessage(thrown: unknown): string {
  if (thrown instanceof AggregateError && !thrown.message) return thrown.errors.map(pgErrorMessage).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Name of the database that a connection string points at. */
export const databaseName = (databaseUrl: string): string => decodeURIComponent(new URL(databaseUrl).pathname.slice(1));

/** Who migrates, as others see it in pg_stat_activity. */
export const MIGRATOR_APPLICATION_NAME = 'pilothouse-migrate';

/** The same database, by that name: one in the connection string would win. */
export function withApplicationName(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', MIGRATOR_APPLICATION_NAME);
  return url.href;
}

/** The same server and login, another database. */
export function replaceDatabaseName(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

export interface ClientOptions {
  /** Longest time of a statement, in milliseconds; 0: no limit. */
  queryTimeoutMs?: number;
}

/**
 * Runs `work` on one connection and closes it. 10 s to connect.
 * Throws what `pg` throws: `3D000` when the database does not exist, `28P01` for a wrong password, socket errors.
 */
export async function withClient<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
  { queryTimeoutMs = 60_000 }: ClientOptions = {},
): Promise<Result> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: MIGRATOR_APPLICATION_NAME,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    // The build of an index sends nothing for hours, and routers forget silent connections: Linux alone would probe after two hours.
    keepAliveInitialDelayMillis: 30_000,
  });
  // A connection lost while nothing is asked would end the process; the next query reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates the database. Does nothing when it exists already, also when another process creates it at this moment. */
export async function createDatabase(databaseUrl: string): Promise<void> {
  const statement = `CREATE DATABASE ${pg.escapeIdentifier(databaseName(databaseUrl))}`;
  try {
    await withClient(replaceDatabaseName(databaseUrl, 'postgres'), (client) => client.query(statement));
  } catch (error) {
    const state = pgErrorCode(error);
    if (state !== sqlStates.databaseExists && state !== sqlStates.uniqueViolation) throw error;
  }
}

/** Drops the database, and with `force` ends the connections that others have to it. Does nothing when there is none. */
export async function dropDatabase(databaseUrl: string, { force = false } = {}): Promise<void> {
  const statement = `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(databaseName(databaseUrl))}${force ? ' WITH (FORCE)' : ''}`;
  await withClient(replaceDatabaseName(databaseUrl, 'postgres'), (client) => client.query(statement));
}

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
 * Runs `work` while holding the lock, on the session that holds it: the lock cannot outlive the statements of `work`, nor they the lock.
 * It asks for the lock again and again instead of waiting inside PostgreSQL, where the waiting statement would keep a snapshot for which the
 * other's `CREATE INDEX CONCURRENTLY` waits in turn.
 *
 * Throws `UNAVAILABLE` at the deadline, the signal's reason when it aborts during the wait, and what `work` throws.
 */
export function withMigrationLock<Result>(
  { databaseUrl, deadlineMs, signal }: LockOptions,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + deadlineMs;
  const lockAndWork = async (client: Client) => {
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      // The lock ends with the session, also when this process dies.
      if (await tryAdvisoryLock(client, 'migration')) return work(client);
      await systemTimers.delay(RETRY_MS, signal);
    }
    throw new PilothouseError(
      'UNAVAILABLE',
      `Another process has been migrating this database for ${Math.round(deadlineMs / 1000)} s. See what it does in ` +
        `pg_stat_activity (application_name '${MIGRATOR_APPLICATION_NAME}') and pg_stat_progress_create_index: an index may wait for others for hours. ` +
        `Start again when it is done, and end it only if it hangs.`,
    );
  };
  return withClient(databaseUrl, lockAndWork, { queryTimeoutMs: 0 });
}
