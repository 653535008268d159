import { link, lstat, mkdir, open, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../code-of.ts';
import { alreadyThere } from '../byte-range.ts';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

const hasCode = (error: unknown, ...codes: string[]) => codes.includes(errorCode(error));

/** Syncs a folder, so that renames and removals in it survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates the missing folders below `root` durably. Never follows a symbolic link. */
async function makeFolders(root: string, names: readonly string[]): Promise<void> {
  let folder = root;
  for (const name of names) {
    const parent = folder;
    folder = join(parent, name);
    try {
      await mkdir(folder, { mode: 0o700 });
      await syncFolder(parent);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if ((await lstat(folder)).isSymbolicLink()) throw new Error('a symbolic link blocks the path');
    }
  }
}

/** True when no path segment between `root` and the folder is a symbolic link. `root` is a real path. */
export async function hasNoSymlinks(folder: string): Promise<boolean> {
  try {
    return (await realpath(folder)) === folder;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return false;
    throw error;
  }
}

/**
 * Renames a finished file to its place below `root` atomically. Recreates the folder when a concurrent removal deletes
 * it.
 * @param isNew requires that the target does not exist
 * @throws PilothouseError CONFLICT when the target exists
 */
export async function moveDurably(
  root: string,
  source: string,
  segments: readonly string[],
  isNew: boolean,
): Promise<void> {
  const target = join(root, ...segments);
  const folder = dirname(target);
  for (let tries = 1; ; tries++) {
    try {
      await makeFolders(root, segments.slice(0, -1));
      if (isNew) await linkOnce(source, target, segments);
      else await rename(source, target);
      break;
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || tries === 5) throw error;
    }
  }
  await syncFolder(folder);
}

/** A file to be linked, by the segments of its key. */
interface LinkedFile {
  readonly key: string;
  readonly source: readonly string[];
  readonly target: readonly string[];
}

/**
 * Links files below `root` to other places. Files are never changed in place, so a link is a copy. Each folder is synced once.
 * @param temporary path of a new temporary file
 * @returns keys of missing sources
 */
export async function linkDurably(
  root: string,
  files: readonly LinkedFile[],
  temporary: () => string,
): Promise<string[]> {
  const missing: string[] = [];
  const folders = new Map<string, Promise<void>>();
  for (const { key, source, target } of files) {
    const sourcePath = join(root, ...source);
    const targetPath = join(root, ...target);
    if (!(await hasNoSymlinks(dirname(sourcePath)))) {
      missing.push(key);
      continue;
    }
    const folder = dirname(targetPath);
    if (!folders.has(folder)) folders.set(folder, makeFolders(root, target.slice(0, -1)));
    await folders.get(folder);
    const path = temporary();
    try {
      await link(sourcePath, path);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
      missing.push(key);
      continue;
    }
    await rename(path, targetPath);
    // A rename to another link of the same file does nothing.
    await rm(path, { force: true });
  }
  for (const folder of folders.keys()) await syncFolder(folder);
  return missing;
}

/** Refuses an existing target. `link` fails in that case; `rename` would replace it. */
async function linkOnce(source: string, target: string, segments: readonly string[]): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? alreadyThere(segments.join('/')) : error;
  }
  await rm(source);
}

/** Removes a file and the folders below `root` that become empty. A missing file is not an error. */
export async function removeDurably(root: string, segments: readonly string[]): Promise<void> {
  const target = join(root, ...segments);
  let folder = dirname(target);
  if (!(await hasNoSymlinks(folder))) return;
  try {
    await rm(target);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR')) return;
    throw error;
  }
  for (; folder !== root; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) break;
      throw error;
    }
  }
}

const ERROR_TEXTS: Record<string, string> = {
  ENOSPC: 'the disk is full; make room or lower the retention',
  EDQUOT: 'the disk quota is used up; make room or raise it',
  EROFS: 'the file system is read-only',
  EACCES: 'this process has no write permission; grant it, or choose another folder',
  EPERM: 'this process has no write permission; grant it, or choose another folder',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENOTDIR: 'a part of the key is an object itself',
  EISDIR: 'the key is a folder of other objects',
  EIO: 'the disk reports an error',
};

/** Describes a folder problem as the end of a sentence. */
export const folderProblem = (error: unknown) => ERROR_TEXTS[errorCode(error)] ?? toPilothouseError(error).message;

/** Converts a failed write to a PilothouseError. A PilothouseError passes unchanged. */
export function toWriteError(error: unknown, key: string): PilothouseError {
  if (error instanceof PilothouseError) return error;
  return new PilothouseError('UPLOAD_FAILED', `The object ${key} was not stored: ${folderProblem(error)}`, {
    cause: error,
  });
}
