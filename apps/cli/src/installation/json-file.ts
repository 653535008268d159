import { errorCode } from '@pilothouse/infra-embedded';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Reads a JSON file of the installation; undefined if it is missing or incomplete. */
export function readJson<Shape>(file: string): Shape | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Shape;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file atomically: readers see the old or the new content. */
export function writeAtomically(file: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporaryFile = `${file}.${process.pid}.half`;
  writeFileSync(temporaryFile, text, { mode });
  renameSync(temporaryFile, file);
}

/** Writes a JSON file atomically. */
export const writeJson = (file: string, value: unknown, mode?: number) =>
  writeAtomically(file, `${JSON.stringify(value, null, 2)}\n`, mode);
