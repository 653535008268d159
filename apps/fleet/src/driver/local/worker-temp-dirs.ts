import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstUnreadable, type WorkerUser } from './worker-user.ts';

/**
 * Creates the parent folder of the worker folders. It lies below the controller's folder, or below the system's temporary folder
 * if the worker user cannot enter the controller's folder.
 */
export async function createTempRoot(workFolder: string, user: WorkerUser | null): Promise<string> {
  const preferred = await ensureFolder(join(workFolder, 'workers'), 0o711);
  if (!user || (await firstUnreadable(user, [preferred])) === null) return preferred;
  const fallback = await ensureFolder(
    join(tmpdir(), `pilothouse-${createHash('sha256').update(workFolder).digest('hex').slice(0, 12)}`),
    0o711,
  );
  const stat = await lstat(fallback);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
    throw new Error(`${fallback} belongs to another user: remove it, the workers need it`);
  }
  return fallback;
}

/** Removes the parent folder of the worker folders if it is empty. */
export async function removeTempRoot(root: string): Promise<void> {
  await rmdir(root).catch(() => undefined);
}

/** Private folders of one worker. */
export interface WorkerTempDirs {
  readonly folder: string;
  readonly home: string;
  readonly work: string;
}

export async function createWorkerTempDirs(
  root: string,
  worker: string,
  user: WorkerUser | null,
): Promise<WorkerTempDirs> {
  const folder = join(root, worker);
  const scratch = { folder, home: join(folder, 'home'), work: join(folder, 'work') };
  for (const path of [scratch.folder, scratch.home, scratch.work]) {
    await ensureFolder(path, 0o700);
    if (user) await chown(path, user.uid, user.gid);
  }
  return scratch;
}

export const removeWorkerTempDirs = (folder: string) =>
  rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });

async function ensureFolder(path: string, mode: number): Promise<string> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
  return path;
}
