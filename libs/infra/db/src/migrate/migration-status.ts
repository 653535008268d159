/** Migration history: the table `_prisma_migrations`, with the columns of the Prisma CLI. */
/** Compares a database with a folder of migrations, without changes. */
import { createHash, randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { pgErrorCode, sqlStates, withClient } from './pg-database.ts';
import { rethrowConnectionError } from './migration-errors.ts';
import { readMigrations, type Migration } from './migration-folder.ts';

/** One attempt at a migration. A migration that was rolled back and applied again has two. */
export interface MigrationRecord {
  name: string;
  /** SHA-256 of the script, hex. */
  checksum: string;
  finished: boolean;
  rolledBack: boolean;
}

const CREATE_TABLE = `
CREATE TABLE _prisma_migrations (
  id                  VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum            VARCHAR(64) NOT NULL,
  finished_at         TIMESTAMPTZ,
  migration_name      VARCHAR(255) NOT NULL,
  logs                TEXT,
  rolled_back_at      TIMESTAMPTZ,
  started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

const SELECT_RECORDS = `
SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS "rolledBack"
FROM _prisma_migrations
ORDER BY started_at`;

/** Existing tables in the target schema, except those of extensions. */
const SELECT_TABLES = `
SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1`;

/** SHA-256 of a script, as in the history. */
export const checksum = (script: string): string => createHash('sha256').update(script).digest('hex');

/** The records in the order of their start; undefined without a history table. */
export async function selectRecords(client: ClientBase): Promise<MigrationRecord[] | undefined> {
  try {
    return (await client.query<MigrationRecord>(SELECT_RECORDS)).rows;
  } catch (error) {
    const code = pgErrorCode(error);
    if (code === sqlStates.tableMissing || code === sqlStates.schemaMissing) return undefined;
    throw error;
  }
}

/**
 * The records in the order of their start: empty if nothing was ever migrated, undefined if the database does not exist.
 * Throws errors of `pg` when the server is unreachable or rejects the login.
 */
export async function readMigrationHistory(databaseUrl: string): Promise<MigrationRecord[] | undefined> {
  try {
    return await withClient(databaseUrl, async (client) => (await selectRecords(client)) ?? []);
  } catch (error) {
    if (pgErrorCode(error) === sqlStates.databaseMissing) return undefined;
    throw error;
  }
}

/**
 * Creates the history table, and the schema `public` if the search path has no schema.
 * @returns names of existing tables; if there are any, nothing is created
 */
export async function createHistory(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(SELECT_TABLES);
  if (rows.length > 0) return rows.map(({ name }) => name);
  const { rows: current } = await client.query<{ schema: string | null }>('SELECT current_schema() AS schema');
  if (current[0]?.schema == null) await client.query('CREATE SCHEMA IF NOT EXISTS public');
  await client.query(CREATE_TABLE);
  return [];
}

/** Records the start of a migration. @returns the id of the record */
export async function insertStarted(client: ClientBase, name: string, script: string): Promise<string> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum(script),
    name,
  ]);
  return id;
}

/** Records that a migration is applied. */
export const updateFinished = (client: ClientBase, id: string): Promise<unknown> =>
  client.query(
    'UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = applied_steps_count + 1 WHERE id = $1',
    [id],
  );

/** Records the failure of a migration. Its record stays unfinished, which marks it as failed. */
export const updateFailed = (client: ClientBase, id: string, logs: string): Promise<unknown> =>
  client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, logs]);

/** Removes the record of an attempt that left nothing behind, or only remains that the next attempt removes. */
export const deleteFailed = (client: ClientBase, name: string): Promise<unknown> =>
  client.query(
    'DELETE FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL',
    [name],
  );

/** Returns whether the migration is applied. */
export const isMigrationApplied = ({ finished, rolledBack }: MigrationRecord) => finished && !rolledBack;

/** Names of applied migrations. */
export const appliedNames = (history: readonly MigrationRecord[]): string[] =>
  history.filter(isMigrationApplied).map(({ name }) => name);

/** Names of unfinished migrations that are not resolved. */
export const failedNames = (history: readonly MigrationRecord[]): string[] =>
  history.filter(({ finished, rolledBack }) => !finished && !rolledBack).map(({ name }) => name);

/** Names of migrations of the folder that are not applied, in order. */
export function pendingNames(names: readonly string[], history: readonly MigrationRecord[]): string[] {
  const applied = new Set(appliedNames(history));
  return names.filter((name) => !applied.has(name));
}

export interface MigrationStatus {
  /** False when the database does not exist yet. */
  databaseExists: boolean;
  /** True if nothing is pending, failed or edited: this version can run on the database. */
  upToDate: boolean;
  applied: string[];
  /** In the folder but not applied, in order. */
  pending: string[];
  /** Unfinished and not resolved. They block all other migrations, except for a concurrent index build, which the next start repeats. */
  failed: string[];
  /** Applied with a text that differs from the folder. */
  edited: string[];
  /** Applied but not in the folder: a newer version was here. */
  unknown: string[];
}

/** Compares folder and database. Throws `UNAVAILABLE` when the server is unreachable or rejects the login. */
export async function migrationStatus(databaseUrl: string, migrationsDir: string): Promise<MigrationStatus> {
  const migrations = await readMigrations(migrationsDir);
  const records = await readMigrationHistory(databaseUrl).catch(rethrowConnectionError);
  const history = records ?? [];
  const names = migrations.map(({ name }) => name);
  const applied = appliedNames(history);
  const pending = pendingNames(names, history);
  const failed = failedNames(history);
  const edited = editedNames(migrations, history);
  return {
    databaseExists: records !== undefined,
    upToDate: records !== undefined && pending.length + failed.length + edited.length === 0,
    applied,
    pending,
    failed,
    edited,
    unknown: applied.filter((name) => !names.includes(name)),
  };
}

/** Applied migrations whose text differs from the folder. */
export function editedNames(migrations: readonly Migration[], history: readonly MigrationRecord[]): string[] {
  const scripts = new Map(
    migrations.flatMap(({ name, script }) => (script === undefined ? [] : [[name, checksums(script)] as const])),
  );
  return history
    .filter((record) => isMigrationApplied(record) && scripts.get(record.name)?.includes(record.checksum) === false)
    .map(({ name }) => name);
}

/** Hashes of the script as is and with either line ending, because git may have changed them. */
function checksums(script: string): string[] {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].map(checksum);
}
