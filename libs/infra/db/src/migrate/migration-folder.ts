/** The folder of migrations: `<14 digits>_<name>/migration.sql` and `migration_lock.toml`. */
import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pgErrorMessage, pgErrorCode } from './pg-database.ts';

const scriptName = 'migration.sql';
const lockName = 'migration_lock.toml';

/** Names of the migrations in the order in which they are applied. Throws `ENOENT` when there is no such folder. */
export async function migrationNames(migrationsDir: string): Promise<string[]> {
  const entries = await readdir(migrationsDir, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Every migration with its script, as the engine takes it; a script that cannot be read is an error in its place. */
export async function readMigrations(migrationsDir: string): Promise<MigrationList> {
  const names = await migrationNames(migrationsDir);
  return {
    baseDir: migrationsDir,
    lockfile: { path: lockName, content: await readLock(join(migrationsDir, lockName)) },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(names.map((name) => readMigration(migrationsDir, name))),
  };
}

async function readMigration(migrationsDir: string, name: string): Promise<MigrationDirectory> {
  const content = await readFile(join(migrationsDir, name, scriptName), 'utf8').then(
    (value) => ({ tag: 'ok' as const, value }),
    (error: unknown) => ({ tag: 'error' as const, value: pgErrorMessage(error) }),
  );
  return { path: name, migrationFile: { path: scriptName, content } };
}

async function readLock(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (pgErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
