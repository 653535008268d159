import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import { wildcard } from '@pilothouse/core/regex/wildcard';
import { CONTENT_TYPE_BYTES, contentTypeOf } from '@pilothouse/core/run/content-type';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { constants } from 'node:fs';
import { mkdir, open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

/* Files of a run's home folder. Programs of the run may change it at any time, for example replace a folder by a link. */

/** Files that one pattern collects. */
const MAX_FILES = 50;

/** Entries of the home folder that a pattern is compared with, and folders below each other. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 12;

/** Bytes of a collected or given file: the largest artifact and file input. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Milliseconds without a change after which a file counts as complete. */
const FILE_STABLE_MS = 300;

/** Time that changes of files are compared with. */
interface FileTime {
  readonly clock: Clock;
  readonly timers: Timers;
}

const systemTime: FileTime = { clock: systemClock, timers: systemTimers };

/** A copy of a file of the home folder. */
export interface CollectedFile {
  /** Path below the home folder. */
  readonly path: string;
  readonly name: string;
  /** Path of the copy. */
  readonly copy: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
}

/**
 * Resolves a path of a workflow, which may be relative to the home folder or begin with `~/`.
 * @throws PilothouseError VALIDATION_FAILED for a path outside the home folder
 */
export function homePath(home: string, path: string): string {
  const absolute = resolve(home, path.startsWith('~/') ? path.slice(2) : path);
  if (absolute === home || !absolute.startsWith(home + sep))
    throw new PilothouseError(
      'VALIDATION_FAILED',
      `${JSON.stringify(path)} is outside the home folder of the run: use a relative path without ..`,
    );
  return absolute;
}

/** A path of the home folder. */
interface HomeFile {
  /** Absolute path. */
  readonly path: string;
  /** True for a file. */
  readonly exists: boolean;
  /** Milliseconds since 1970; null: it does not exist. */
  readonly modifiedAtMs: number | null;
}

/** @throws PilothouseError VALIDATION_FAILED for a link, and for a path outside the home folder, also through a link */
export async function homeFile(home: string, path: string): Promise<HomeFile> {
  const absolute = homePath(home, path);
  const file = await openInHome(home, absolute, constants.O_RDONLY).catch((error: unknown) => {
    if (error instanceof PilothouseError) throw error;
    return null;
  });
  const facts = await file?.stat();
  await file?.close();
  return { path: absolute, exists: file !== null, modifiedAtMs: facts?.mtimeMs ?? null };
}

/**
 * Copies a file into the home folder. Replaces an existing file.
 * @throws Error for a path outside the home folder, also through a link
 */
export async function putFile(home: string, source: string, path: string): Promise<{ path: string }> {
  const target = homePath(home, path);
  await makeFolders(home, dirname(target));
  const sourceFile = await open(source, constants.O_RDONLY);
  try {
    const targetFile = await openInHome(home, target, constants.O_WRONLY | constants.O_CREAT);
    try {
      await targetFile.truncate(0);
      const owner = await stat(home);
      await targetFile.chown(owner.uid, owner.gid);
      await copyBytes(sourceFile, targetFile);
    } finally {
      await targetFile.close();
    }
  } finally {
    await sourceFile.close();
  }
  return { path: target };
}

/**
 * Copies the files that a pattern names into a folder.
 * @param isGlob true: `*` in the pattern matches any text; false: the pattern is one path
 * @returns nothing if there is no such file, or one of them is still being written
 * @throws Error for a path outside the home folder, or for too many or too large files
 */
export async function collectFiles(
  home: string,
  pattern: string,
  isGlob: boolean,
  folder: string,
  time: FileTime = systemTime,
): Promise<CollectedFile[]> {
  const paths = isGlob ? await matchingPaths(home, pattern) : [homePath(home, pattern)];
  if (paths.length > MAX_FILES) throw new Error(`${paths.length} files match ${pattern}: the limit is ${MAX_FILES}`);
  const collected: CollectedFile[] = [];
  for (const path of paths) {
    const file = await openInHome(home, path, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!file) return [];
    try {
      if (!(await isComplete(file, time))) return [];
      collected.push(await copyTo(folder, home, path, file));
    } finally {
      await file.close();
    }
  }
  return collected;
}

async function copyTo(folder: string, home: string, path: string, file: FileHandle): Promise<CollectedFile> {
  const { size } = await file.stat();
  if (size > MAX_FILE_BYTES)
    throw new Error(`${basename(path)} has ${size} bytes: the limit is ${MAX_FILE_BYTES / 1_048_576} MiB`);
  await mkdir(folder, { recursive: true });
  const name = basename(path);
  const { copy, copyFile } = await createUnique(folder, name);
  try {
    const copied = await copyBytes(file, copyFile);
    const head = Buffer.alloc(CONTENT_TYPE_BYTES);
    const { bytesRead } = await file.read(head, 0, CONTENT_TYPE_BYTES, 0);
    const contentType = contentTypeOf(name, head.subarray(0, bytesRead));
    return { path: path.slice(home.length + 1), name, copy, size: copied, contentType };
  } finally {
    await copyFile.close();
  }
}

/** Copies a file from its beginning. @returns bytes @throws Error above the limit */
async function copyBytes(source: FileHandle, target: FileHandle): Promise<number> {
  const chunk = Buffer.alloc(1_048_576);
  for (let position = 0; ;) {
    const { bytesRead } = await source.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return position;
    await target.write(chunk, 0, bytesRead, position);
    position += bytesRead;
    if (position > MAX_FILE_BYTES) throw new Error(`The file is larger than ${MAX_FILE_BYTES / 1_048_576} MiB`);
  }
}

async function createUnique(folder: string, name: string): Promise<{ copy: string; copyFile: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const copy = join(folder, number === 1 ? name : `${number}-${name}`);
    try {
      return { copy, copyFile: await open(copy, 'wx') };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number > 1_000) throw error;
    }
  }
}

/** True if a file keeps its size for a moment. */
async function isComplete(file: FileHandle, { clock, timers }: FileTime): Promise<boolean> {
  const first = await file.stat();
  if (clock.now().getTime() - first.mtimeMs > FILE_STABLE_MS) return true;
  await timers.delay(FILE_STABLE_MS);
  const second = await file.stat();
  return first.size === second.size && first.mtimeMs === second.mtimeMs;
}

/**
 * Opens a regular file below the home folder. The folder is verified by its descriptor, and the file is opened through it, so that a
 * link that replaces a folder meanwhile leads nowhere else.
 */
async function openInHome(home: string, path: string, flags: number): Promise<FileHandle> {
  const root = await realpath(home);
  const { O_DIRECTORY, O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const folder = await open(dirname(path), O_RDONLY | O_DIRECTORY);
  try {
    const actual = await readlink(`/proc/self/fd/${folder.fd}`);
    if (actual !== root && !actual.startsWith(root + sep))
      throw new PilothouseError('VALIDATION_FAILED', `${basename(path)} is outside the home folder of the run`);
    const name = `/proc/self/fd/${folder.fd}/${basename(path)}`;
    const file = await open(name, flags | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ELOOP'
        ? new PilothouseError('VALIDATION_FAILED', `${basename(path)} is a link; name the file itself`)
        : error;
    });
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Error(`${basename(path)} is not a file`);
  } finally {
    await folder.close();
  }
}

/** Creates folders below the home folder. @throws Error if one of them is a link out of it */
async function makeFolders(home: string, folder: string): Promise<void> {
  const root = await realpath(home);
  const owner = await stat(home);
  let current = root;
  for (const name of folder.slice(home.length).split(sep).filter(Boolean)) {
    current = join(current, name);
    const isNew = await mkdir(current, { mode: 0o700 }).then(
      () => true,
      () => false,
    );
    if (isNew) {
      const handle = await open(current, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      await handle.chown(owner.uid, owner.gid).finally(() => handle.close());
    }
    if ((await realpath(current)) !== current)
      throw new Error(`${JSON.stringify(name)} is a link; name the folder itself`);
  }
}

/** Paths of files below the home folder that match. Hidden folders are searched only by a pattern that begins with a dot. */
async function matchingPaths(home: string, pattern: string): Promise<string[]> {
  const matches = wildcard(pattern.startsWith('~/') ? pattern.slice(2) : pattern);
  const includesHidden = pattern.startsWith('.');
  const paths: string[] = [];
  let entries = 0;
  const search = async (folder: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) return;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      entries += 1;
      if (entries > MAX_ENTRIES) throw new Error(`The home folder has more than ${MAX_ENTRIES} files: name the path`);
      const path = join(folder, entry.name);
      const isHidden = entry.name.startsWith('.');
      if (entry.isDirectory() && (includesHidden || !isHidden)) await search(path, depth + 1);
      else if (entry.isFile() && matches(path.slice(home.length + 1))) paths.push(path);
    }
  };
  await search(home, 0);
  return paths.toSorted();
}
