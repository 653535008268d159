import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemTimers } from '@pilothouse/core/time/timers';
import { migrateDeploy, type MigrateOptions } from '@pilothouse/infra-db';

export interface MigrateWhenReadyOptions extends MigrateOptions {
  /** Maximum wait for a database that is not up yet, in milliseconds. */
  waitMs: number;
}

/** Milliseconds between two attempts. */
const RETRY_MS = 1_000;

/** SQLSTATE classes of permanent errors: a rejected login, a missing privilege. */
const PERMANENT_ERRORS = /^(28|42)/;

/** Returns whether the server is unavailable or starting. A rejected login, and a migration lock that times out, are `UNAVAILABLE` too. */
function isUnavailable(error: unknown): error is PilothouseError {
  if (!(error instanceof PilothouseError) || error.code !== 'UNAVAILABLE') return false;
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return false;
  return !('code' in cause && PERMANENT_ERRORS.test(String(cause.code)));
}

/**
 * Applies pending migrations, and waits for a server that is not up yet.
 * Throws `UNAVAILABLE` when it is not available in time or rejects the login, `MIGRATION_FAILED`, and the signal's reason.
 */
export async function migrateWhenReady({ waitMs, ...options }: MigrateWhenReadyOptions): Promise<void> {
  const { log, signal } = options;
  const deadline = performance.now() + waitMs;
  let lastReason = '';
  for (;;) {
    try {
      const { applied } = await migrateDeploy(options);
      log.info({ applied }, applied.length > 0 ? 'database migrated' : 'database up to date');
      return;
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + RETRY_MS > deadline) throw error;
      // Logs each reason once, not every second.
      if (error.message !== lastReason) log.warn({ reason: error.message }, 'waiting for the database');
      lastReason = error.message;
    }
    await systemTimers.delay(RETRY_MS, signal);
  }
}
