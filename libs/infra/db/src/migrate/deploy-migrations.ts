/** Brings a database to the schema that this version of the product needs. */
import { PilothouseError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import {
  LOCK_RETRY_POLICY,
  type LockRetryPolicy,
  LockTimeoutError,
  concurrentIndexName,
  deleteFailedRecord,
  isLockTimeout,
  isRetryableScript,
  logLockWaits,
  retryOnLockTimeout,
} from './lock-contention.ts';
import { createDatabase, databaseName, withApplicationName, withMigrationLock } from './pg-database.ts';
import { openEngine } from './prisma-engine/open-engine.ts';
import { earlierMigrationFailed, migrationFailed, rethrowConnectionError } from './migration-errors.ts';
import { migrationNames, readMigrations } from './migration-folder.ts';
import { appliedNames, failedNames, pendingNames, readMigrationHistory } from './migration-status.ts';

export interface MigrateOptions {
  /** PostgreSQL connection string. The database need not exist when the login may create it. */
  databaseUrl: string;
  /** Folder with one folder a migration. */
  migrationsDir: string;
  log: Pick<Log, 'info' | 'warn'>;
  /** Ends the wait for another process that migrates; a migration that began runs to its end, lest it be left half recorded. */
  signal: AbortSignal;
  /** How long migrations try to get their locks. */
  patience?: LockRetryPolicy;
}

export interface MigrateResult {
  /** Names of the migrations applied by this call, in order; empty when there was nothing to do. */
  applied: string[];
}

/** Longest wait for another process that migrates the same database, in milliseconds. */
const LOCK_DEADLINE_MS = 10 * 60_000;

/**
 * Creates the database when it is missing and applies every migration that is not yet in it. Safe to call from several processes at once:
 * one works, the others wait and find nothing to do. When nothing is to be done it asks one question and never loads the engine.
 *
 * Throws `UNAVAILABLE` when the server cannot be reached or refuses the login, or others hold the locks of a migration for too long, `MIGRATION_FAILED` naming the migration when one fails or has failed
 * before (nothing is applied on top of it), and the signal's reason when it aborts during the wait.
 */
export async function migrateDeploy({
  databaseUrl: url,
  migrationsDir,
  log,
  signal,
  patience = LOCK_RETRY_POLICY,
}: MigrateOptions): Promise<MigrateResult> {
  signal.throwIfAborted();
  const databaseUrl = withApplicationName(url);
  const names = await migrationNames(migrationsDir);
  const history = await readMigrationHistory(databaseUrl).catch(rethrowConnectionError);
  if (history && pendingNames(names, history).length === 0) {
    warnIfNewer(names, appliedNames(history), log);
    return { applied: [] };
  }
  if (!history) {
    log.info({ database: databaseName(databaseUrl) }, 'Creating the database');
    await createDatabase(databaseUrl).catch(rethrowConnectionError);
  }
  return withMigrationLock({ databaseUrl, deadlineMs: LOCK_DEADLINE_MS, signal }, async () => ({
    applied: await retryOnLockTimeout({ databaseUrl, patience, log, signal }, () =>
      applyPending(databaseUrl, migrationsDir, patience, log),
    ),
  }));
}

async function applyPending(
  databaseUrl: string,
  migrationsDir: string,
  patience: LockRetryPolicy,
  log: MigrateOptions['log'],
): Promise<string[]> {
  const migrationsList = await readMigrations(migrationsDir);
  const names = migrationsList.migrationDirectories.map(({ path }) => path);
  // Another process may have done the work while this one waited for the lock.
  const history = (await readMigrationHistory(databaseUrl).catch(rethrowConnectionError)) ?? [];
  const failed = failedNames(history);
  // What is left of an index that was not finished goes when it is begun anew.
  const stuck = failed.filter((name) => concurrentIndexName(scriptOf(migrationsList, name)) === undefined);
  if (stuck.length > 0) throw earlierMigrationFailed(stuck);
  for (const name of failed) await deleteFailedRecord(databaseUrl, name);
  const pending = pendingNames(names, history);
  if (pending.length === 0) return [];

  log.info({ pending }, 'Applying migrations');
  const { engine, explain, close } = await openEngine({ databaseUrl, lockWaits: patience });
  try {
    const filters = { externalTables: [], externalEnums: [] };
    const { appliedMigrationNames: applied } = await logLockWaits({ databaseUrl, everyMs: patience.sayMs, log }, () =>
      engine.applyMigrations({ migrationsList, filters }),
    );
    log.info({ applied }, 'Migrations applied');
    return applied;
  } catch (error) {
    const { message, migration, sqlState } = explain(error);
    if (!migration)
      throw new PilothouseError('MIGRATION_FAILED', `The migrations could not be applied: ${message}`, {
        cause: error,
      });
    const script = scriptOf(migrationsList, migration);
    const index = concurrentIndexName(script);
    if (!isLockTimeout(sqlState) || !isRetryableScript(script)) throw migrationFailed(migration, message, index, error);
    await deleteFailedRecord(databaseUrl, migration);
    const applied = pending.slice(0, pending.indexOf(migration));
    throw new LockTimeoutError({ migration, index, applied, reason: message });
  } finally {
    await close();
  }
}

function scriptOf({ migrationDirectories }: MigrationList, name: string): string {
  return migrationDirectories.find(({ path }) => path === name)?.migrationFile.content.value ?? '';
}

/** A newer version has run on this database: an older one may go on, since migrations only add, but people should know. */
function warnIfNewer(names: readonly string[], applied: readonly string[], log: MigrateOptions['log']): void {
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    log.warn({ unknown }, 'The database has migrations of a newer version; update this one, or expect errors');
  }
}
