/** How a database stands to a folder of migrations; asks only, changes nothing. */
import { createHash } from 'node:crypto';
import { rethrowConnectionError } from './errors.ts';
import { readMigrations } from './folder.ts';
import { appliedNames, failedNames, isMigrationApplied, pendingNames, readMigrationHistory } from './history.ts';

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
