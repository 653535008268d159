import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { retry } from '@pilothouse/core/time/backoff';
import type { Timers } from '@pilothouse/core/time/timers';

/** System error codes for an unreachable server. A retry may succeed. */
const UNREACHABLE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTFOUND',
  'ENOTCONN',
  'EPIPE',
  'ETIMEDOUT',
];

/** SQLSTATE codes of a server that shuts down, starts or has crashed. */
const DOWN = ['57P01', '57P02', '57P03', '08001', '08003', '08004', '08006'];

/** Codes of PostgreSQL and Prisma for exhausted or timed-out connections. */
const FULL = ['53300', 'P1001', 'P1002', 'P1008', 'P1017', 'P2024'];

const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([...UNREACHABLE, ...DOWN, ...FULL]);
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([...UNREACHABLE, ...DOWN]);

/** Codes of PostgreSQL and Prisma for conflicts with concurrent work, and for timeouts. */
const BUSY_CODES = new Set(['40001', '40P01', '55P03', '57014', 'P2028', 'P2034']);

/** Codes of PostgreSQL and Prisma for a missing table. */
const MISSING_TABLE_CODES: ReadonlySet<string> = new Set(['42P01', 'P2021']);

/** Maximum depth of the search through causes. */
const MAX_CAUSE_DEPTH = 5;

/** Returns whether a statement failed because PostgreSQL is unavailable; it may be retried. */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  matchesErrorOrCause(error, (error) => hasCode(error, UNAVAILABLE_CODES) || isConnectionMessage(error));

/** Returns whether a connection failed because no server answered. A server at its connection limit has answered. */
export const isServerUnreachable = (error: unknown): boolean =>
  matchesErrorOrCause(error, (error) => hasCode(error, UNREACHABLE_CODES) || isConnectionMessage(error));

/** Returns whether a statement failed because of concurrent work or a timeout; it may succeed later. */
export const isDatabaseBusy = (error: unknown): boolean =>
  matchesErrorOrCause(error, (error) => hasCode(error, BUSY_CODES));

/** Returns whether a table is missing: the database was emptied, or never migrated. */
export const isTableMissing = (error: unknown): boolean =>
  matchesErrorOrCause(error, (error) => hasCode(error, MISSING_TABLE_CODES));

/** @param cause error of the database */
export const noTables = (cause?: unknown): PilothouseError =>
  new PilothouseError(
    'UNAVAILABLE',
    'The database has no tables: run the migrations (`node dist/migrate/main.js`; in Kubernetes restart the API), or restore a backup',
    { cause },
  );

/** @param migration name of the last migration that this version needs */
export const oldSchema = (migration: string): PilothouseError =>
  new PilothouseError(
    'UNAVAILABLE',
    `The database schema is older than this version, which needs the migration ${migration}: run the migrations (\`node dist/migrate/main.js\`; in Kubernetes restart the API)`,
  );

/** Returns whether an error or one of its causes matches. */
function matchesErrorOrCause(error: unknown, matches: (error: object) => boolean, depth = MAX_CAUSE_DEPTH): boolean {
  if (typeof error !== 'object' || error === null || depth === 0) return false;
  if (matches(error)) return true;
  const { cause, meta, errors } = error as Record<string, unknown>;
  // A host with several addresses has one error for each.
  if (Array.isArray(errors) && errors.some((error) => matchesErrorOrCause(error, matches, depth - 1))) return true;
  // Prisma stores the error of the driver in `meta`.
  const driver = typeof meta === 'object' && meta !== null && 'driverAdapterError' in meta && meta.driverAdapterError;
  return matchesErrorOrCause(cause, matches, depth - 1) || matchesErrorOrCause(driver, matches, depth - 1);
}

function hasCode(error: object, codes: ReadonlySet<string>): boolean {
  const { code, originalCode } = error as Record<string, unknown>;
  return [code, originalCode].some((value) => typeof value === 'string' && codes.has(value));
}

/** Errors of `pg` without a code. */
const isConnectionMessage = (error: object): boolean =>
  'message' in error &&
  typeof error.message === 'string' &&
  /^(Connection terminated|Client .* is not queryable$|timeout exceeded when trying to connect|timeout expired$|Query read timeout)/.test(
    error.message,
  );

const BACKOFF = { firstMs: 50, maxMs: 1_000 };

/** Maximum time for which the record of a call or of an attempt is retried, in milliseconds. */
export const RECORD_RETRY_MS = 120_000;

/** Limits of retries during an outage of PostgreSQL. */
export interface RetryDeadline {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Monotonic milliseconds after which nothing is retried. */
  readonly deadline: number;
  /** Cancels the retries. */
  readonly signal?: AbortSignal;
  readonly timers?: Timers;
}

/**
 * Executes work that needs PostgreSQL, and retries it during an outage or a conflict.
 * @param work receives whether it failed before: a statement on a broken connection may have been executed
 * @throws PilothouseError UNAVAILABLE when PostgreSQL is unavailable until the deadline; the reason of the signal; other errors of `work`
 */
export async function retryWhileUnavailable<Result>(
  work: (isRetry: boolean) => Promise<Result>,
  { clock, deadline, signal, timers }: RetryDeadline,
): Promise<Result> {
  return retry(({ failures }) => work(failures > 0), {
    backoff: BACKOFF,
    ...(signal && { signal }),
    ...(timers && { timers }),
    isRetryable: (error, { delayMs }) => {
      signal?.throwIfAborted();
      if (!isDatabaseUnavailable(error) && !isDatabaseBusy(error)) return false;
      if (clock.monotonic() + delayMs <= deadline) return true;
      throw new PilothouseError('UNAVAILABLE', 'The database is not responding. Try again.', { cause: error });
    },
  });
}
