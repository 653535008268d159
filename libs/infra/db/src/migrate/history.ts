/** What a database says about its migrations: Prisma's table `_prisma_migrations`, read with plain SQL. */
import { pgErrorCode, sqlStates, withClient } from './database.ts';

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
