/**
 * Retries migrations that compete for locks: a waiting migration blocks all later users of its tables. Reports the
 * blocking sessions while a migration waits, which may take hours.
 */
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { MIGRATOR_APPLICATION_NAME, sqlStates, withClient } from './pg-database.ts';
import { describeRemains } from './migration-errors.ts';

/** Lock timeouts of the statements of a migration. */
export interface LockTimeouts {
  /** Milliseconds for each lock. Writers are blocked for this long. */
  lockMs: number;
  /** Milliseconds for a concurrent index build. It blocks no writer, and a timeout discards the whole build. */
  indexMs: number;
}

/** Limits of the attempts to get the locks. */
export interface LockRetryPolicy extends LockTimeouts {
  /** Milliseconds between two reports of the blocking sessions. */
  reportEveryMs: number;
  /** Milliseconds between two attempts, in which writers proceed. */
  retryMs: number;
  /** Milliseconds after the first failed attempt until the migration fails. */
  deadlineMs: number;
}

/** A concurrent index build waits for all older transactions: the longest dump has to fit in. */
export const LOCK_RETRY_POLICY: LockRetryPolicy = {
  lockMs: 3_000,
  indexMs: 12 * 3_600_000,
  reportEveryMs: 30_000,
  retryMs: 5_000,
  deadlineMs: 5 * 60_000,
};

/** Details of a migration that did not get its locks. */
interface ContendedMigration {
  readonly migration: string;
  /** Name of the index that it builds concurrently: only such a build may leave something behind. */
  readonly index: string | undefined;
  /** Migrations applied before it in this attempt. */
  readonly applied: readonly string[];
  readonly reason: string;
}

/** Thrown when a migration did not get its locks. */
export class LockTimeoutError extends Error {
  readonly contended: ContendedMigration;

  constructor(contended: ContendedMigration) {
    super(`Migration ${contended.migration} did not get its locks: ${contended.reason}`);
    this.contended = contended;
  }
}

/** Returns whether PostgreSQL ended a script because of a lock or a deadlock. */
export const isLockTimeout = (sqlState: string | undefined): boolean =>
  sqlState === sqlStates.lockNotAvailable || sqlState === sqlStates.deadlock;

/** Returns whether a script is one transaction, so that a failure leaves nothing behind. In doubt it returns false, which prevents a retry. */
export const isTransactional = (script: string): boolean => !/\b(commit|concurrently)\b/i.test(withoutComments(script));

/**
 * Returns the index that a script builds concurrently, if it does nothing else.
 * The remains of a failed build have to be removed: PostgreSQL keeps an invalid index under its name.
 */
export const concurrentIndexName = (script: string): string | undefined =>
  /^\s*create\s+(?:unique\s+)?index\s+concurrently\s+"(?<name>\w+)"[^;]*;?\s*$/i.exec(withoutComments(script))?.groups
    ?.name;

/** Returns whether a script may be retried automatically. */
export const isRetryableScript = (script: string): boolean =>
  isTransactional(script) || concurrentIndexName(script) !== undefined;

/**
 * Returns the lock timeout of a script. A script that is not retried waits without a limit, because a failure could leave something
 * behind for manual cleanup.
 */
export function lockTimeout(script: string, { lockMs, indexMs }: LockTimeouts): number | undefined {
  if (isTransactional(script)) return lockMs;
  return concurrentIndexName(script) === undefined ? undefined : indexMs;
}

/** Removes comments, but not from within texts. */
const withoutComments = (script: string): string =>
  script.replace(
    /(?<text>\be'(?:[^'\\]|\\[^]|'')*'|'[^']*'|"[^"]*"|\$(?<tag>\w*)\$[^]*?\$\k<tag>\$)|--[^\n]*|\/\*[^]*?\*\//gi,
    (_match, text?: string) => text ?? ' ',
  );

export interface ContentionOptions {
  databaseUrl: string;
  lockRetryPolicy: LockRetryPolicy;
  log: Pick<Log, 'warn'>;
  /** Cancels the wait, with its reason. */
  signal: AbortSignal;
}

/**
 * Migrates, and retries when locks are not available.
 * @returns the names of all applied migrations
 * @throws PilothouseError UNAVAILABLE with the blocking sessions; errors of `migrate`
 */
export async function retryOnLockTimeout(
  { databaseUrl, lockRetryPolicy, log, signal }: ContentionOptions,
  migrate: () => Promise<string[]>,
): Promise<string[]> {
  const applied: string[] = [];
  let deadline = 0;
  let waitingMigration: string | undefined;
  for (;;) {
    try {
      return [...applied, ...(await migrate())];
    } catch (error) {
      if (!(error instanceof LockTimeoutError)) throw error;
      const { contended } = error;
      applied.push(...contended.applied);
      const oldest = await oldestTransaction(databaseUrl, contended.index !== undefined);
      // Earlier migrations may have taken longer than all attempts may.
      if (contended.migration !== waitingMigration) deadline = performance.now() + lockRetryPolicy.deadlineMs;
      waitingMigration = contended.migration;
      if (performance.now() + lockRetryPolicy.retryMs > deadline) throw lockTimeoutFailure(contended, oldest);
      log.warn(
        { migration: contended.migration, reason: contended.reason, oldest },
        'migration lock timeout, retrying',
      );
    }
    await systemTimers.delay(lockRetryPolicy.retryMs, signal);
  }
}

/** The first OID outside the system catalog. */
const FIRST_USER_OID = 16_384;

interface OpenTransaction {
  pid: number;
  name: string;
  seconds: number;
}

/**
 * Returns the session with the oldest table lock, or with the oldest snapshot if `snapshots` block, too, as far as this login can see.
 * The migration no longer waits, so the session is only a candidate.
 */
async function oldestTransaction(databaseUrl: string, snapshots: boolean): Promise<OpenTransaction | null> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<OpenTransaction>(
      `SELECT pid, application_name AS name, round(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
       FROM pg_stat_activity a WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
         AND xact_start IS NOT NULL
         AND ($1 AND backend_xmin IS NOT NULL
           OR EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND l.locktype = 'relation' AND l.relation >= ${FIRST_USER_OID}))
       ORDER BY xact_start LIMIT 1`,
      [snapshots],
    ),
  );
  return rows[0] ?? null;
}

function lockTimeoutFailure(
  { migration, index, reason }: ContendedMigration,
  oldest: OpenTransaction | null,
): PilothouseError {
  const lockKinds = index === undefined ? 'locks on tables' : 'locks on tables or a snapshot';
  const instructions = oldest
    ? `It may be blocked by process ${oldest.pid} (${oldest.name || 'without a name'}), which has the oldest transaction with ${lockKinds}, ` +
      `open for ${oldest.seconds} s. Let it end, or end it with the SQL statement SELECT pg_terminate_backend(${oldest.pid}); `
    : 'See who holds locks in pg_locks and pg_stat_activity, let them end, ';
  return new PilothouseError(
    'UNAVAILABLE',
    `Migration ${migration} did not get its locks: ${reason}. ${describeRemains(index)}. ${instructions}and start again.`,
    { details: { migration } },
  );
}

export interface LockWaitLogOptions {
  databaseUrl: string;
  /** Milliseconds between two reports. */
  everyMs: number;
  log: Pick<Log, 'warn'>;
}

/** Runs `work`, which migrates, and reports the blocking sessions meanwhile. @throws errors of `work` */
export async function logLockWaits<Result>(
  { databaseUrl, everyMs, log }: LockWaitLogOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const watch = async () => {
    for (;;) {
      await systemTimers.delay(everyMs, stop.signal);
      // If the database does not answer, `work` reports it.
      const waitsFor = await blockingSessions(databaseUrl).catch(() => []);
      if (waitsFor.length > 0) log.warn({ waitsFor }, 'migration waiting for other transactions');
    }
  };
  const watching = watch().catch(() => {});
  try {
    return await work();
  } finally {
    stop.abort();
    await watching;
  }
}

/** Sessions that block a migration now, as far as this login can see. */
const blockingSessions = (databaseUrl: string) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ pid: number; name: string | null; seconds: number | null }>(
      `SELECT b.pid, b.application_name AS name, round(extract(epoch FROM clock_timestamp() - b.xact_start))::int AS seconds
       FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS blocking (pid) JOIN pg_stat_activity b ON b.pid = blocking.pid
       WHERE w.datname = current_database() AND w.application_name = '${MIGRATOR_APPLICATION_NAME}' AND w.wait_event_type = 'Lock'
       ORDER BY b.xact_start`,
    );
    return rows;
  });
