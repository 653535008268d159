/**
 * Compares node_modules with package-lock.json, by the lock file of npm in it. Exit code 0 when they match.
 * Optional packages may be absent: they are for other platforms.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  version?: string;
  optional?: boolean;
}

const root = join(import.meta.dirname, '../..');
const readEntries = (file: string): Record<string, Entry> => JSON.parse(readFileSync(file, 'utf8')).packages;

const record = join(root, 'node_modules/.package-lock.json');
const complete = () => {
  const installed = readEntries(record);
  return Object.entries(readEntries(join(root, 'package-lock.json'))).every(([path, { version, optional }]) =>
    path.includes('node_modules/') && !optional ? path in installed && installed[path]?.version === version : true,
  );
};
process.exitCode = existsSync(record) && complete() ? 0 : 1;
