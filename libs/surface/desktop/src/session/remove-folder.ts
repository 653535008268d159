import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Milliseconds for a program that removes a folder. */
const PROGRAM_TIMEOUT_MS = 30_000;

const run = promisify(execFile);

/**
 * Removes a folder that programs of a session have written. They may have left folders without permissions, or paths that are longer than
 * the system accepts at once.
 * @throws Error with the path that stays
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    // A program that was killed may still have a write under way.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch {
    // Unlike Node, these programs open each folder relative to its parent, so no path is too long. They follow no links.
    const options = { timeout: PROGRAM_TIMEOUT_MS, maxBuffer: 1_048_576 };
    await run('chmod', ['-R', 'u+rwx', '--', folder], options).catch(() => undefined);
    await run('rm', ['-rf', '--', folder], options);
  }
}
