/** Migrations and those who use their tables meanwhile: whoever asks for a lock holds up all that come after, until it has it. */
import { PilothouseError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlStates, withClient } from './database.ts';

/** How long a migration tries to get its locks. */
export interface Patience {
  /** Milliseconds that it waits for each: so long writers wait behind it. */
  lockMs: number;
  /** Milliseconds between two tries, for the writers. */
  retryMs: number;
  /** Milliseconds after which it gives up. */
  deadlineMs: number;
}

export const PATIENCE: Patience = { lockMs: 3_000, retryMs: 5_000, deadlineMs: 5 * 60_000 };

/** What is known of a migration that did not get its locks; nothing of it was kept. */
interface Contended {
  readonly migration: string;
  /** Migrations that this try applied before. */
  readonly applied: readonly string[];
  readonly reason: string;
}

/** Thrown when a migration did not get its locks. */
export class LockedOut extends Error {
  readonly by: Contended;

  constructor(by: Contended) {
    super(`Migration ${by.migration} did not get its locks: ${by.reason}`);
    this.by = by;
  }
}

/** Whether PostgreSQL ended a script for the sake of others. */
export const isContended = (sqlState: string | null): boolean =>
  sqlState === sqlStates.lockNotAvailable || sqlState === sqlStates.deadlock;

/** Whether a script is one transaction, so that nothing stays of one that fails. Rather once too often no: then it is not tried again. */
export const isAtomic = (script: string): boolean => !/\b(commit|concurrently)\b/i.test(withoutComments(script));

/**
 * The index that a script makes beside those who write, where it does nothing else. What a try that failed leaves of it has to be removed: PostgreSQL
 * keeps it, of no use, under its name.
 */
export const loneIndex = (script: string): string | undefined =>
  /^\s*create\s+(?:unique\s+)?index\s+concurrently\s+"(?<name>\w+)"[^;]*;?\s*$/i.exec(withoutComments(script))?.groups
    ?.name;

/** Whether a script may be tried again by itself. */
export const mayBeTriedAgain = (script: string): boolean => isAtomic(script) || loneIndex(script) !== undefined;

/** Texts stay, and what looks like a comment in them. */
const withoutComments = (script: string): string =>
  script.replace(
    /(?<text>\be'(?:[^'\\]|\\[^]|'')*'|'[^']*'|"[^"]*"|\$(?<tag>\w*)\$[^]*?\$\k<tag>\$)|--[^\n]*|\/\*[^]*?\*\//gi,
    (_whole, text?: string) => text ?? ' ',
  );

/** Removes the record of a try of which nothing was kept, or nothing that the next does not remove: it would stand in the way. */
export const forgetTry = (databaseUrl: string, migration: string): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    client.query(
      'DELETE FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL',
      [migration],
    ),
  );

export interface ContentionOptions {
  databaseUrl: string;
  patience: Patience;
  log: Pick<Log, 'warn'>;
  /** Ends the wait, with its reason. */
  signal: AbortSignal;
}

/**
 * Migrates, and tries again where locks are in the way.
 * @returns the names of all migrations that were applied
 * @throws PilothouseError UNAVAILABLE that names who is in the way; what `migrate` throws
 */
export async function whenLocksAreFree(
  { databaseUrl, patience, log, signal }: ContentionOptions,
  migrate: () => Promise<string[]>,
): Promise<string[]> {
  const deadline = performance.now() + patience.deadlineMs;
  const applied: string[] = [];
  for (;;) {
    try {
      return [...applied, ...(await migrate())];
    } catch (thrown) {
      if (!(thrown instanceof LockedOut)) throw thrown;
      const { by } = thrown;
      applied.push(...by.applied);
      const oldest = await oldestTransaction(databaseUrl);
      if (performance.now() + patience.retryMs > deadline) throw lockedOut(by, oldest);
      log.warn(
        { migration: by.migration, reason: by.reason, oldest },
        'A migration does not get its locks; trying again',
      );
    }
    await delay(patience.retryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
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
 * Who has held a lock on a table for longest, as far as this login may see it. The migration waits no more: whether it waited for them is
 * not known.
 */
async function oldestTransaction(databaseUrl: string): Promise<OpenTransaction | null> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<OpenTransaction>(
      `SELECT pid, application_name AS name, round(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
       FROM pg_stat_activity a WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
         AND xact_start IS NOT NULL
         AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND l.locktype = 'relation' AND l.relation >= ${FIRST_OF_USERS})
       ORDER BY xact_start LIMIT 1`,
    ),
  );
  return rows[0] ?? null;
}

function lockedOut({ migration, reason }: Contended, oldest: OpenTransaction | null): PilothouseError {
  const who = oldest
    ? `In the way may be process ${oldest.pid} (${oldest.name || 'without a name'}): of those that hold locks on tables its transaction is the oldest, ` +
      `open for ${oldest.seconds} s. Let it end, or end it with the SQL statement SELECT pg_terminate_backend(${oldest.pid}); `
    : 'See who holds locks in pg_locks and pg_stat_activity, let them end, ';
  return new PilothouseError(
    'UNAVAILABLE',
    `Migration ${migration} did not get its locks: ${reason}. Nothing of it was kept. ${who}and start again.`,
    { details: { migration } },
  );
}
