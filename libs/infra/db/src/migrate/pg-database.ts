// Creates, drops and locks whole databases. Errors of `pg` pass through unchanged; `pgErrorCode` reads their codes.
import pg from 'pg';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { Client } from 'pg';
import { tryAdvisoryLock } from '../client/leadership.ts';

/** SQLSTATE codes handled here. */
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

/** The code of an error: SQLSTATE of PostgreSQL, or a system code such as `ECONNREFUSED`. */
export function pgErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The message of an error. A host with several addresses causes an AggregateError with an empty message. */
export function pgErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(pgErrorMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Name of the database in a connection string. */
export const databaseName = (databaseUrl: string): string => decodeURIComponent(new URL(databaseUrl).pathname.slice(1));

/** Application name of a migration in pg_stat_activity. */
export const MIGRATOR_APPLICATION_NAME = 'pilothouse-migrate';

/** Sets the application name; one in the connection string would take precedence. */
export function withApplicationName(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', MIGRATOR_APPLICATION_NAME);
  return url.href;
}

/** Replaces the database in a connection string. */
export function replaceDatabaseName(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

export interface ClientOptions {
  /** Statement timeout in milliseconds; 0: no limit. */
  queryTimeoutMs?: number;
}

/**
 * Runs `work` on one connection and closes it. The connection timeout is 10 s.
 * Throws errors of `pg`: `3D000` for a missing database, `28P01` for a wrong password, socket errors.
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
    // An index build sends nothing for hours, and routers drop idle connections: by default Linux probes after two hours.
    keepAliveInitialDelayMillis: 30_000,
  });
  // A connection lost while idle would end the process; the next query reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates the database. Does nothing if it exists, or another process creates it concurrently. */
export async function createDatabase(databaseUrl: string): Promise<void> {
  const statement = `CREATE DATABASE ${pg.escapeIdentifier(databaseName(databaseUrl))}`;
  try {
    await withClient(replaceDatabaseName(databaseUrl, 'postgres'), (client) => client.query(statement));
  } catch (error) {
    const state = pgErrorCode(error);
    if (state !== sqlStates.databaseExists && state !== sqlStates.uniqueViolation) throw error;
  }
}

/** Drops the database. `force` ends its other connections. Does nothing if it does not exist. */
export async function dropDatabase(databaseUrl: string, { force = false } = {}): Promise<void> {
  const statement = `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(databaseName(databaseUrl))}${force ? ' WITH (FORCE)' : ''}`;
  await withClient(replaceDatabaseName(databaseUrl, 'postgres'), (client) => client.query(statement));
}

/** Milliseconds between two attempts. */
const RETRY_MS = 100;

export interface LockOptions {
  databaseUrl: string;
  /** Maximum wait for the lock, in milliseconds. */
  deadlineMs: number;
  /** Cancels the wait, with its reason. Once the lock is held, `work` runs to its end. */
  signal: AbortSignal;
}

/**
 * Runs `work` on the session that holds the lock, so that neither outlives the other. Polls for the lock instead of
 * waiting in PostgreSQL. A waiting statement would keep a snapshot, and the `CREATE INDEX CONCURRENTLY` of the lock
 * holder would wait for it.
 * @throws PilothouseError UNAVAILABLE at the deadline; the reason of the signal when it aborts during the wait; errors
 * of `work`
 */
export function withMigrationLock<Result>(
  { databaseUrl, deadlineMs, signal }: LockOptions,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + deadlineMs;
  const lockAndWork = async (client: Client) => {
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      // The lock ends with the session, even if this process crashes.
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
