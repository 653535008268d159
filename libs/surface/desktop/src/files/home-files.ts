import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import { wildcard } from '@pilothouse/core/regex/wildcard';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

/*
 * Files of a run's home folder, for the session process. Programs of the run may change the folder at any time, for example replace a folder
 * by a link.
 */

/** Files that one pattern collects. */
const MAX_FILES = 50;

/** Entries of the home folder that a pattern is compared with, and folders below each other. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 12;

/** Bytes of one chunk of a file. */
export const CHUNK_BYTES = 1_048_576;

/** Milliseconds without a change after which a file counts as complete. */
const FILE_STABLE_MS = 300;

/** Time that changes of files are compared with. */
export interface FileTime {
  readonly clock: Clock;
  readonly timers: Timers;
}

const systemTime: FileTime = { clock: systemClock, timers: systemTimers };

/** A complete file of the home folder. */
export interface MatchedFile {
  /** Path below the home folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Differs after each change of the file. */
  readonly version: string;
}

/** A path that a step must not name. */
export class HomePathError extends Error {}

/**
 * Resolves a path of a workflow, which may be relative to the home folder or begin with `~/`.
 * @throws HomePathError for a path outside the home folder
 */
function homePath(home: string, path: string): string {
  const absolute = resolve(home, path.startsWith('~/') ? path.slice(2) : path);
  if (absolute === home || !absolute.startsWith(home + sep))
    throw new HomePathError(
      `${JSON.stringify(path)} is outside the home folder of the run: use a relative path without ..`,
    );
  return absolute;
}

/** A path of the home folder. */
export interface HomeFile {
  /** Absolute path. */
  readonly path: string;
  /** True for a file. */
  readonly exists: boolean;
  /** Milliseconds since 1970; null: it does not exist. */
  readonly modifiedAtMs: number | null;
  /** Bytes; null: it does not exist. */
  readonly size: number | null;
}

/** @throws HomePathError for a link, and for a path outside the home folder, also through a link */
export async function homeFile(home: string, path: string): Promise<HomeFile> {
  const absolute = homePath(home, path);
  const file = await openInHome(home, absolute, constants.O_RDONLY).catch((error: unknown) => {
    if (error instanceof HomePathError) throw error;
    return null;
  });
  const facts = await file?.stat();
  await file?.close();
  return { path: absolute, exists: file !== null, modifiedAtMs: facts?.mtimeMs ?? null, size: facts?.size ?? null };
}

/** Extension that a program adds to the name of a document. Temporary files of Qt have six characters. */
const ADDED_EXTENSION = /^(?!(bak|tmp|swp|part|lock|orig)$)[a-z0-9]{1,5}$/i;

/** Creates the folder of a path. @throws HomePathError for a path outside the home folder; Error for a link */
export const makeHomeFolder = (home: string, path: string): Promise<void> =>
  makeFolders(home, dirname(homePath(home, path)));

/** True if a path is a folder, not a link. */
export const isHomeFolder = (home: string, path: string): Promise<boolean> =>
  lstat(homePath(home, path)).then(
    (facts) => facts.isDirectory(),
    () => false,
  );

/**
 * The file of a path, and files whose name is that of the path with an extension, the newest first.
 * @throws HomePathError as `homeFile`
 */
export async function filesNamed(home: string, path: string): Promise<HomeFile[]> {
  const named = await homeFile(home, path);
  const folder = dirname(named.path);
  const prefix = `${basename(named.path)}.`;
  const entries = await readdir(folder).catch(() => []);
  const names = entries.filter((name) => name.startsWith(prefix) && ADDED_EXTENSION.test(name.slice(prefix.length)));
  const found = await Promise.all(names.map((name) => homeFile(home, join(folder, name)).catch(() => null)));
  const extended = found
    .filter((file) => file !== null)
    .toSorted((first, second) => (second.modifiedAtMs ?? 0) - (first.modifiedAtMs ?? 0));
  return [named, ...extended].filter(({ exists }) => exists);
}

/**
 * Writes a chunk of a file. The chunk at position 0 creates the file or replaces its content.
 * @returns the absolute path
 * @throws HomePathError for a path outside the home folder; Error through a link
 */
export async function writeChunk(home: string, path: string, position: number, data: Uint8Array): Promise<string> {
  const target = homePath(home, path);
  if (position === 0) await makeFolders(home, dirname(target));
  const file = await openInHome(home, target, constants.O_WRONLY | (position === 0 ? constants.O_CREAT : 0));
  try {
    if (position === 0) await file.truncate(0);
    for (let written = 0; written < data.length;)
      written += (await file.write(data, written, data.length - written, position + written)).bytesWritten;
  } finally {
    await file.close();
  }
  return target;
}

/** Reads at most `CHUNK_BYTES` from a position. Empty at the end of the file. @throws as `writeChunk` */
export async function readChunk(
  home: string,
  path: string,
  position: number,
): Promise<{ data: Uint8Array; version: string }> {
  const file = await openInHome(home, homePath(home, path), constants.O_RDONLY);
  try {
    const data = Buffer.alloc(CHUNK_BYTES);
    const { bytesRead } = await file.read(data, 0, CHUNK_BYTES, position);
    return { data: data.subarray(0, bytesRead), version: await versionOf(file) };
  } finally {
    await file.close();
  }
}

/**
 * Finds the files that a pattern names.
 * @param isGlob true: `*` in the pattern matches any text; false: the pattern is one path
 * @returns nothing if there is no such file, or one of them is still being written
 * @throws HomePathError for a path outside the home folder; Error for too many files
 */
export async function matchingFiles(
  home: string,
  pattern: string,
  isGlob: boolean,
  time: FileTime = systemTime,
): Promise<MatchedFile[]> {
  const paths = isGlob ? await matchingPaths(home, pattern) : [homePath(home, pattern)];
  if (paths.length > MAX_FILES) throw new Error(`${paths.length} files match ${pattern}: the limit is ${MAX_FILES}`);
  const matched: MatchedFile[] = [];
  for (const path of paths) {
    const file = await openInHome(home, path, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!file) return [];
    try {
      if (!(await isComplete(file, time))) return [];
      const { size } = await file.stat();
      matched.push({ path: path.slice(home.length + 1), size, version: await versionOf(file) });
    } finally {
      await file.close();
    }
  }
  return matched;
}

async function versionOf(file: FileHandle): Promise<string> {
  const { ino, size, mtimeMs } = await file.stat();
  return `${ino}-${size}-${mtimeMs}`;
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
      throw new HomePathError(`${basename(path)} is outside the home folder of the run`);
    const name = `/proc/self/fd/${folder.fd}/${basename(path)}`;
    const file = await open(name, flags | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ELOOP' ? new HomePathError(`${basename(path)} is a link; name the file itself`) : error;
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
  let current = root;
  for (const name of folder.slice(home.length).split(sep).filter(Boolean)) {
    current = join(current, name);
    await mkdir(current, { mode: 0o700 }).catch(() => undefined);
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
