/** What a database says about its migrations: Prisma's table `_prisma_migrations`, read with plain SQL. */
/** How a database stands to a folder of migrations; asks only, changes nothing. */
import { pgErrorCode, sqlStates, withClient } from './pg-database.ts';
import { createHash } from 'node:crypto';
import { rethrowConnectionError } from './migration-errors.ts';
import { readMigrations } from './migration-folder.ts';

/** One try at a migration; a migration that was rolled back and applied again has two. */
export interface MigrationRecord {
  name: string;
  /** SHA-256 of the script, hex. */
  checksum: string;
  finished: boolean;
  rolledBack: boolean;
}

const select = `
  SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS "rolledBack"
  FROM _prisma_migrations
  ORDER BY started_at`;

/**
 * The records in the order of their start: empty when nothing was ever migrated, undefined when the database does not exist.
 * Throws what `pg` throws when the server cannot be reached or refuses the login.
 */
export async function readMigrationHistory(databaseUrl: string): Promise<MigrationRecord[] | undefined> {
  try {
    return await withClient(databaseUrl, async (client) => (await client.query<MigrationRecord>(select)).rows);
  } catch (error) {
    const code = pgErrorCode(error);
    if (code === sqlStates.databaseMissing) return undefined;
    if (code === sqlStates.tableMissing || code === sqlStates.schemaMissing) return [];
    throw error;
  }
}

/** The migration stands in the database. */
export const isMigrationApplied = ({ finished, rolledBack }: MigrationRecord) => finished && !rolledBack;

/** Names of the migrations that stand in the database. */
export const appliedNames = (history: readonly MigrationRecord[]): string[] =>
  history.filter(isMigrationApplied).map(({ name }) => name);

/** Names of the migrations that began and did not end, and that nobody has resolved. */
export const failedNames = (history: readonly MigrationRecord[]): string[] =>
  history.filter(({ finished, rolledBack }) => !finished && !rolledBack).map(({ name }) => name);

/** Names of the folder's migrations that do not stand in the database, in order. */
export function pendingNames(names: readonly string[], history: readonly MigrationRecord[]): string[] {
  const applied = new Set(appliedNames(history));
  return names.filter((name) => !applied.has(name));
}

export interface MigrationStatus {
  /** False when the database does not exist yet. */
  databaseExists: boolean;
  /** Nothing pending, failed or edited: this version of the product can run on the database. */
  upToDate: boolean;
  applied: string[];
  /** In the folder and not in the database, in order. */
  pending: string[];
  /**
   * Began, did not end, and nobody has resolved it. Nothing is applied until somebody does, save an index that is made beside those who
   * write: the next start begins it anew by itself.
   */
  failed: string[];
  /** Applied with another text than the folder has now. */
  edited: string[];
  /** In the database and not in the folder: a newer version was here. */
  unknown: string[];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Compares folder and database. Throws `UNAVAILABLE` when the server cannot be reached or refuses the login. */
export async function migrationStatus(databaseUrl: string, migrationsDir: string): Promise<MigrationStatus> {
  const { migrationDirectories } = await readMigrations(migrationsDir);
  const found = await readMigrationHistory(databaseUrl).catch(rethrowConnectionError);
  const history = found ?? [];
  const names = migrationDirectories.map(({ path }) => path);
  const applied = appliedNames(history);
  const pending = pendingNames(names, history);
  const failed = failedNames(history);
  const scripts = new Map(
    migrationDirectories.flatMap(({ path, migrationFile: { content } }) =>
      content.tag === 'ok' ? [[path, checksums(content.value)] as const] : [],
    ),
  );
  const edited = history
    .filter((record) => isMigrationApplied(record) && scripts.get(record.name)?.includes(record.checksum) === false)
    .map(({ name }) => name);
  return {
    databaseExists: found !== undefined,
    upToDate: found !== undefined && pending.length + failed.length + edited.length === 0,
    applied,
    pending,
    failed,
    edited,
    unknown: applied.filter((name) => !names.includes(name)),
  };
}

/** Of the script as it is, and with the line ends of either kind of system: git may have changed them. */
function checksums(script: string): string[] {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].map(sha256);
}
