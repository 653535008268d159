/** Migrates a database to the schema of this version. */
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import pg from 'pg';
import {
  LOCK_RETRY_POLICY,
  type LockRetryPolicy,
  LockTimeoutError,
  concurrentIndexName,
  isLockTimeout,
  isRetryableScript,
  logLockWaits,
  retryOnLockTimeout,
} from './lock-contention.ts';
import {
  createDatabase,
  databaseName,
  pgErrorMessage,
  withApplicationName,
  withClient,
  withMigrationLock,
} from './pg-database.ts';
import {
  describeDatabaseError,
  earlierMigrationFailed,
  failureLogs,
  migrationFailed,
  migrationsEdited,
  migrationsNotApplied,
  rethrowConnectionError,
} from './migration-errors.ts';
import { readMigrations, type Migration } from './migration-folder.ts';
import {
  appliedNames,
  createHistory,
  deleteFailed,
  editedNames,
  failedNames,
  insertStarted,
  pendingNames,
  readMigrationHistory,
  selectRecords,
  updateFailed,
  updateFinished,
} from './migration-status.ts';
import { resetSession, runScript } from './sql-script.ts';

export interface MigrateOptions {
  /** PostgreSQL connection string. The database is created if it does not exist and the login may create it. */
  databaseUrl: string;
  /** Folder with one subfolder per migration. */
  migrationsDir: string;
  log: Pick<Log, 'info' | 'warn'>;
  /** Cancels the wait for another migrating process. A started migration runs to its end, so that its record is complete. */
  signal: AbortSignal;
  /** Limits of the attempts to get locks. */
  lockRetryPolicy?: LockRetryPolicy;
}

export interface MigrateResult {
  /** Names of the migrations applied by this call, in order; empty if none was pending. */
  applied: string[];
}

/** Maximum wait for another process that migrates the same database, in milliseconds. */
const LOCK_DEADLINE_MS = 10 * 60_000;

/**
 * Creates the database if it is missing and applies every pending migration. Safe for concurrent processes: one works, the others wait and
 * find nothing to do. An up-to-date database costs one query.
 *
 * Throws `UNAVAILABLE` when the server is unreachable or rejects the login, or others hold the locks of a migration for
 * too long. Throws `MIGRATION_FAILED` with the name of a migration that fails, has failed before or was edited since;
 * later ones are not applied. Throws the signal's reason when it aborts during the wait.
 */
export async function migrateDeploy({
  databaseUrl: url,
  migrationsDir,
  log,
  signal,
  lockRetryPolicy = LOCK_RETRY_POLICY,
}: MigrateOptions): Promise<MigrateResult> {
  signal.throwIfAborted();
  const databaseUrl = withApplicationName(url);
  const migrations = await readMigrations(migrationsDir);
  const names = migrations.map(({ name }) => name);
  const history = await readMigrationHistory(databaseUrl).catch(rethrowConnectionError);
  const edited = editedNames(migrations, history ?? []);
  if (edited.length > 0) throw migrationsEdited(edited);
  if (history && pendingNames(names, history).length === 0) {
    warnIfNewer(names, appliedNames(history), log);
    return { applied: [] };
  }
  if (!history) {
    log.info({ database: databaseName(databaseUrl) }, 'creating the database');
    await createDatabase(databaseUrl).catch(rethrowConnectionError);
  }
  return withMigrationLock({ databaseUrl, deadlineMs: LOCK_DEADLINE_MS, signal }, async (client) => ({
    applied: await retryOnLockTimeout({ databaseUrl, lockRetryPolicy, log, signal }, () =>
      applyPending({ client, databaseUrl, migrationsDir, lockRetryPolicy, log }),
    ),
  }));
}

interface Deployment extends Pick<MigrateOptions, 'databaseUrl' | 'migrationsDir' | 'log'> {
  /** The session that holds the lock. */
  client: pg.Client;
  lockRetryPolicy: LockRetryPolicy;
}

/** @throws PilothouseError MIGRATION_FAILED; LockTimeoutError for a migration that may be tried again */
async function applyPending(deployment: Deployment): Promise<string[]> {
  const { client, databaseUrl, migrationsDir, lockRetryPolicy, log } = deployment;
  const migrations = await readMigrations(migrationsDir);
  // Another process may have migrated while this one waited for the lock.
  const history = await selectRecords(client).catch(rethrowConnectionError);
  const failed = failedNames(history ?? []);
  // The remains of an index build are removed when it starts again.
  const indexOf = (name: string) =>
    concurrentIndexName(migrations.find((migration) => migration.name === name)?.script ?? '');
  const unresolvedNames = failed.filter((name) => indexOf(name) === undefined);
  if (unresolvedNames.length > 0) throw earlierMigrationFailed(unresolvedNames);
  const names = new Set(
    pendingNames(
      migrations.map(({ name }) => name),
      history ?? [],
    ),
  );
  const pending = migrations.filter(({ name }) => names.has(name));
  if (pending.length === 0) return [];

  log.info({ pending: [...names] }, 'applying migrations');
  const applied: string[] = [];
  try {
    const scripts = pending.map(requireScript);
    for (const name of failed) await deleteFailed(client, name);
    if (!history) await createEmptyHistory(client);
    await logLockWaits({ databaseUrl, everyMs: lockRetryPolicy.reportEveryMs, log }, async () => {
      for (const script of scripts) {
        await applyMigration(deployment, script, applied);
        applied.push(script.name);
      }
    });
  } catch (error) {
    if (error instanceof PilothouseError || error instanceof LockTimeoutError) throw error;
    throw migrationsNotApplied(pgErrorMessage(error), error);
  }
  log.info({ applied }, 'migrations applied');
  return applied;
}

interface ReadableMigration extends Migration {
  readonly script: string;
}

function requireScript({ name, script, readError }: Migration): ReadableMigration {
  if (script !== undefined) return { name, script };
  throw migrationsNotApplied(
    `the migration.sql of ${name} cannot be read (${readError}). Restore the file, or delete its folder.`,
  );
}

async function createEmptyHistory(client: pg.Client): Promise<void> {
  const [table] = await createHistory(client);
  if (table === undefined) return;
  throw migrationsNotApplied(
    `the schema has tables and no history of migrations, for example the table "${table}". ` +
      'Set DATABASE_URL to an empty database.',
  );
}

/** Runs one migration and records its result. @param applied names of earlier migrations */
async function applyMigration(
  { client, databaseUrl, lockRetryPolicy }: Deployment,
  { name, script }: ReadableMigration,
  applied: readonly string[],
): Promise<void> {
  const id = await insertStarted(client, name, script);
  try {
    await runScript(client, script, lockRetryPolicy);
  } catch (error) {
    const index = concurrentIndexName(script);
    const reason = describeDatabaseError(error);
    const sqlState = error instanceof pg.DatabaseError ? error.code : undefined;
    if (isLockTimeout(sqlState) && isRetryableScript(script)) {
      await resetSession(client);
      await deleteFailed(client, name);
      throw new LockTimeoutError({ migration: name, index, applied, reason });
    }
    // Uses a new session: the one that ran the script may be lost. Without a reason the record still marks the failure.
    await withClient(databaseUrl, (newSession) => updateFailed(newSession, id, failureLogs(name, error))).catch(
      () => {},
    );
    throw migrationFailed(name, reason, index, error);
  }
  await resetSession(client);
  await updateFinished(client, id);
}

/** Warns that a newer version has run on this database. An older one may continue, since migrations only add. */
function warnIfNewer(names: readonly string[], applied: readonly string[], log: MigrateOptions['log']): void {
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    log.warn({ unknown }, 'database has migrations of a newer version');
  }
}
