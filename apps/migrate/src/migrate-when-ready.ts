import { PilothouseError } from '@pilothouse/contract';
import { systemTimers } from '@pilothouse/core';
import { migrateDeploy, type MigrateOptions } from '@pilothouse/infra-db';

export interface MigrateWhenReadyOptions extends MigrateOptions {
  /** Longest wait for a database that is not up yet, in milliseconds. */
  waitMs: number;
}

/** Between two tries, in milliseconds. */
const RETRY_MS = 1_000;

/** SQLSTATE classes that waiting does not mend: a login that is refused, a right that is missing. */
const PERMANENT_ERRORS = /^(28|42)/;

/** The server is away or starting. A refused login, and another process that migrates for too long, are `UNAVAILABLE` too. */
function isAway(thrown: unknown): thrown is PilothouseError {
  if (!(thrown instanceof PilothouseError) || thrown.code !== 'UNAVAILABLE') return false;
  const { cause } = thrown;
  if (typeof cause !== 'object' || cause === null) return false;
  return !('code' in cause && PERMANENT_ERRORS.test(String(cause.code)));
}

/**
 * Applies what is missing in the database; waits for a server that is not up yet.
 * Throws `UNAVAILABLE` when it does not come up in time or refuses the login, `MIGRATION_FAILED`, and the signal's reason.
 */
export async function migrateWhenReady({ waitMs, ...options }: MigrateWhenReadyOptions): Promise<void> {
  const { log, signal } = options;
  const deadline = performance.now() + waitMs;
  let lastReason = '';
  for (;;) {
    try {
      const { applied } = await migrateDeploy(options);
      log.info({ applied }, applied.length > 0 ? 'The database is migrated' : 'The database is up to date');
      return;
    } catch (thrown) {
      if (!isAway(thrown) || performance.now() + RETRY_MS > deadline) throw thrown;
      // Once for each thing it says, not once a second.
      if (thrown.message !== lastReason) log.warn({ reason: thrown.message }, 'Waiting for the database');
      lastReason = thrown.message;
    }
    await systemTimers.delay(RETRY_MS, signal);
  }
}
