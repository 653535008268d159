import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstUnreadable, type WorkerUser } from './worker-user.ts';

/**
 * The folder that holds the folders of the workers: below the controller's own, or, where their user cannot get there because that one
 * is private, below the system's folder for temporary files.
 */
export async function createTempRoot(workFolder: string, user: WorkerUser | null): Promise<string> {
  const near = await made(join(workFolder, 'workers'), 0o711);
  if (!user || (await firstUnreadable(user, [near])) === null) return near;
  const far = await made(
    join(tmpdir(), `pilothouse-${createHash('sha256').update(workFolder).digest('hex').slice(0, 12)}`),
    0o711,
  );
  const stat = await lstat(far);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
    throw new Error(`${far} belongs to somebody else: remove it, the workers need it`);
  }
  return far;
}

/** Removes the folder of all workers once it is empty. */
export async function removeTempRoot(root: string): Promise<void> {
  await rmdir(root).catch(() => undefined);
}

/** Folders of one worker, its own and nobody else's. */
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
    await made(path, 0o700);
    if (user) await chown(path, user.uid, user.gid);
  }
  return scratch;
}

export const removeWorkerTempDirs = (folder: string) =>
  rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });

async function made(path: string, mode: number): Promise<string> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
  return path;
}
