/** Migrations and those who use their tables meanwhile: whoever asks for a lock holds up all that come after, until it has it. */
/** Says for whom a migration waits, while it waits: for its locks it may be hours. */
import { PilothouseError } from '@pilothouse/contract';
import { type Log, systemTimers } from '@pilothouse/core';
import { MIGRATOR_APPLICATION_NAME, sqlStates, withClient } from './pg-database.ts';
import { leftoverHint } from './migration-errors.ts';

/** How long a statement of a migration waits for a lock. */
export interface LockTimeouts {
  /** Milliseconds that it waits for each: so long writers wait behind it. */
  lockMs: number;
  /** The same for an index that is made beside those who write: no writer waits behind it, and giving up costs the whole build. */
  indexMs: number;
}

/** How long a migration tries to get its locks. */
export interface LockRetryPolicy extends LockTimeouts {
  /** Milliseconds of a wait after which it says for whom it waits, and again. */
  sayMs: number;
  /** Milliseconds between two tries, for the writers. */
  retryMs: number;
  /** Milliseconds after which it gives up, since it first did not get them. */
  deadlineMs: number;
}

/** An index waits for every transaction that is older than the end of its build: the longest dump has to fit in. */
export const LOCK_RETRY_POLICY: LockRetryPolicy = {
  lockMs: 3_000,
  indexMs: 12 * 3_600_000,
  sayMs: 30_000,
  retryMs: 5_000,
  deadlineMs: 5 * 60_000,
};

/** What is known of a migration that did not get its locks. */
interface Contended {
  readonly migration: string;
  /** The index that it makes beside those who write: of that something may stay, of all others nothing. */
  readonly index: string | undefined;
  /** Migrations that this try applied before. */
  readonly applied: readonly string[];
  readonly reason: string;
}

/** Thrown when a migration did not get its locks. */
export class LockTimeoutError extends Error {
  readonly by: Contended;

  constructor(by: Contended) {
    super(`Migration ${by.migration} did not get its locks: ${by.reason}`);
    this.by = by;
  }
}

/** Whether PostgreSQL ended a script for the sake of others. */
export const isLockTimeout = (sqlState: string | undefined): boolean =>
  sqlState === sqlStates.lockNotAvailable || sqlState === sqlStates.deadlock;

/** Whether a script is one transaction, so that nothing stays of one that fails. Rather once too often no: then it is not tried again. */
export const isTransactional = (script: string): boolean => !/\b(commit|concurrently)\b/i.test(withoutComments(script));

/**
 * The index that a script makes beside those who write, where it does nothing else. What a try that failed leaves of it has to be removed: PostgreSQL
 * keeps it, of no use, under its name.
 */
export const concurrentIndexName = (script: string): string | undefined =>
  /^\s*create\s+(?:unique\s+)?index\s+concurrently\s+"(?<name>\w+)"[^;]*;?\s*$/i.exec(withoutComments(script))?.groups
    ?.name;

/** Whether a script may be tried again by itself. */
export const isRetryableScript = (script: string): boolean =>
  isTransactional(script) || concurrentIndexName(script) !== undefined;

/**
 * Milliseconds that a script may wait for each lock. Without any one that is not tried again waits as long as it takes: something of it may
 * stay for people to clear up.
 */
export function lockTimeout(script: string, { lockMs, indexMs }: LockTimeouts): number | undefined {
  if (isTransactional(script)) return lockMs;
  return concurrentIndexName(script) === undefined ? undefined : indexMs;
}

/** Texts stay, and what looks like a comment in them. */
const withoutComments = (script: string): string =>
  script.replace(
    /(?<text>\be'(?:[^'\\]|\\[^]|'')*'|'[^']*'|"[^"]*"|\$(?<tag>\w*)\$[^]*?\$\k<tag>\$)|--[^\n]*|\/\*[^]*?\*\//gi,
    (_whole, text?: string) => text ?? ' ',
  );

export interface ContentionOptions {
  databaseUrl: string;
  patience: LockRetryPolicy;
  log: Pick<Log, 'warn'>;
  /** Ends the wait, with its reason. */
  signal: AbortSignal;
}

/**
 * Migrates, and tries again where locks are in the way.
 * @returns the names of all migrations that were applied
 * @throws PilothouseError UNAVAILABLE that names who is in the way; what `migrate` throws
 */
export async function retryOnLockTimeout(
  { databaseUrl, patience, log, signal }: ContentionOptions,
  migrate: () => Promise<string[]>,
): Promise<string[]> {
  const applied: string[] = [];
  let deadline = 0;
  let waiting: string | undefined;
  for (;;) {
    try {
      return [...applied, ...(await migrate())];
    } catch (thrown) {
      if (!(thrown instanceof LockTimeoutError)) throw thrown;
      const { by } = thrown;
      applied.push(...by.applied);
      const oldest = await oldestTransaction(databaseUrl, by.index !== undefined);
      // What was applied before it may have taken longer than all its tries may.
      if (by.migration !== waiting) deadline = performance.now() + patience.deadlineMs;
      waiting = by.migration;
      if (performance.now() + patience.retryMs > deadline) throw lockedOut(by, oldest);
      log.warn(
        { migration: by.migration, reason: by.reason, oldest },
        'A migration does not get its locks; trying again',
      );
    }
    await systemTimers.delay(patience.retryMs, signal);
  }
}

/** The first OID that is not one of the catalogue's own. */
const FIRST_OF_USERS = 16_384;

interface OpenTransaction {
  pid: number;
  name: string;
  seconds: number;
}

/**
 * Who has held a lock on a table for longest, as far as this login may see it, or a snapshot, where `snapshots` are waited for, too. The
 * migration waits no more: whether it waited for them is not known.
 */
async function oldestTransaction(databaseUrl: string, snapshots: boolean): Promise<OpenTransaction | null> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<OpenTransaction>(
      `SELECT pid, application_name AS name, round(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
       FROM pg_stat_activity a WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
         AND xact_start IS NOT NULL
         AND ($1 AND backend_xmin IS NOT NULL
           OR EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND l.locktype = 'relation' AND l.relation >= ${FIRST_OF_USERS}))
       ORDER BY xact_start LIMIT 1`,
      [snapshots],
    ),
  );
  return rows[0] ?? null;
}

function lockedOut({ migration, index, reason }: Contended, oldest: OpenTransaction | null): PilothouseError {
  const held = index === undefined ? 'locks on tables' : 'locks on tables or a snapshot';
  const who = oldest
    ? `In the way may be process ${oldest.pid} (${oldest.name || 'without a name'}): of those that hold ${held} its transaction is the oldest, ` +
      `open for ${oldest.seconds} s. Let it end, or end it with the SQL statement SELECT pg_terminate_backend(${oldest.pid}); `
    : 'See who holds locks in pg_locks and pg_stat_activity, let them end, ';
  return new PilothouseError(
    'UNAVAILABLE',
    `Migration ${migration} did not get its locks: ${reason}. ${leftoverHint(index)}. ${who}and start again.`,
    { details: { migration } },
  );
}

export interface LockWaitLogOptions {
  databaseUrl: string;
  /** Milliseconds after which it is said, and again. */
  everyMs: number;
  log: Pick<Log, 'warn'>;
}

/** Does `work`, which migrates, and says meanwhile who is in its way. @throws what `work` throws */
export async function logLockWaits<Result>(
  { databaseUrl, everyMs, log }: LockWaitLogOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const done = new AbortController();
  const watch = async () => {
    for (;;) {
      await systemTimers.delay(everyMs, done.signal);
      // Where the database does not answer, `work` says so.
      const waitsFor = await inTheWay(databaseUrl).catch(() => []);
      if (waitsFor.length > 0) log.warn({ waitsFor }, 'A migration waits for the transactions of others');
    }
  };
  const watched = watch().catch(() => {});
  try {
    return await work();
  } finally {
    done.abort();
    await watched;
  }
}

/** Those for whom a migration waits at this moment, as far as this login may see them. */
const inTheWay = (databaseUrl: string) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ pid: number; name: string | null; seconds: number | null }>(
      `SELECT b.pid, b.application_name AS name, round(extract(epoch FROM clock_timestamp() - b.xact_start))::int AS seconds
       FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS way (pid) JOIN pg_stat_activity b ON b.pid = way.pid
       WHERE w.datname = current_database() AND w.application_name = '${MIGRATOR_APPLICATION_NAME}' AND w.wait_event_type = 'Lock'
       ORDER BY b.xact_start`,
    );
    return rows;
  });
