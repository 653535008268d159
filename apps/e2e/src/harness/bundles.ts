import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './poll-until.ts';

export const root = join(import.meta.dirname, '../../../..');
const lock = join(root, 'node_modules/.cache/e2e-build');
const STALE_MS = 60_000;

/** Path of the bundle of a component. Builds it when it is missing; ./scripts/test has built it already. */
export async function bundleOf(
  part: 'api' | 'worker' | 'jobs' | 'fleet' | 'site' | 'load-generator' | 'console' | 'cli',
): Promise<string> {
  const file = join(root, 'dist', part, 'main.js');
  await until(`${file} is built`, () => existsSync(file) || build(), STALE_MS);
  return file;
}

/** Builds, unless another jest worker does. */
async function build(): Promise<false> {
  if (!(await acquireLock())) return false;
  try {
    await promisify(execFile)(process.execPath, [join(root, 'scripts/build.ts')], { cwd: root, timeout: STALE_MS });
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
  return false;
}

async function acquireLock(): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    // The process that held the lock was killed.
    if (age > STALE_MS) await rm(lock, { recursive: true, force: true });
    return false;
  }
}
