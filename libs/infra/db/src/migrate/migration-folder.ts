/** The folder of migrations: `<14 digits>_<name>/migration.sql`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pgErrorMessage } from './pg-database.ts';

/** A migration of the folder. */
export interface Migration {
  readonly name: string;
  /** Text of its migration.sql; undefined when the file cannot be read. */
  readonly script: string | undefined;
  /** Reason why the file cannot be read. */
  readonly readError?: string;
}

/** Names of the migrations in the order of application. Throws `ENOENT` when the folder does not exist. */
async function migrationNames(migrationsDir: string): Promise<string[]> {
  const entries = await readdir(migrationsDir, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Name of the last migration of the folder; undefined when there is none. */
export async function lastMigration(migrationsDir: string): Promise<string | undefined> {
  const names = await migrationNames(migrationsDir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  return names.at(-1);
}

/** All migrations with their scripts, in the order of application. Throws `ENOENT` when the folder does not exist. */
export async function readMigrations(migrationsDir: string): Promise<Migration[]> {
  const names = await migrationNames(migrationsDir);
  return Promise.all(names.map((name) => readMigration(migrationsDir, name)));
}

function readMigration(migrationsDir: string, name: string): Promise<Migration> {
  return readFile(join(migrationsDir, name, 'migration.sql'), 'utf8').then(
    (script) => ({ name, script }),
    (error: unknown) => ({ name, script: undefined, readError: pgErrorMessage(error) }),
  );
}
