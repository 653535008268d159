import { errorCode } from '@pilothouse/infra-embedded';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Reads a JSON file that this installation wrote; undefined when it is missing or was never finished. */
export function readJson<Shape>(file: string): Shape | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Shape;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file so that a reader finds the old text or the new one, never a half. */
export function writeWhole(file: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const half = `${file}.${process.pid}.half`;
  writeFileSync(half, text, { mode });
  renameSync(half, file);
}

/** The same, as JSON. */
export const writeJson = (file: string, value: unknown, mode?: number) =>
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`, mode);
