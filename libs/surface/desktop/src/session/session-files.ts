import type { CallOptions, SessionClient } from './session-client.ts';
import { CONTENT_TYPE_BYTES, contentTypeOf } from '@pilothouse/core/run/content-type';
import { constants } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';

/* Files of a session's home folder, for the worker. They travel over the channel: worker and session may share no folder. */

/** Bytes of a collected or given file: the largest artifact and file input. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Bytes of all files that one pattern collects. */
const MAX_COLLECTED_BYTES = 2 * 1024 * 1024 * 1024;

/** Bytes of a file name that every file system accepts. */
const MAX_NAME_BYTES = 255;

/** Bytes of a chunk that is sent to the session. */
const CHUNK_BYTES = 1_048_576;

type Session = Pick<SessionClient, 'call'>;

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
 * Copies a file into the home folder. Replaces an existing file.
 * @returns its absolute path in the session
 * @throws PilothouseError VALIDATION_FAILED for a path outside the home folder; Error through a link, or above the limit
 */
export async function putFile(session: Session, source: string, path: string, options: CallOptions): Promise<string> {
  const file = await open(source, constants.O_RDONLY);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let position = 0, target = ''; ;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      // An empty file is created by its first chunk.
      if (bytesRead === 0 && position > 0) return target;
      assertSize(path, position + bytesRead);
      target = await session.call('writeFile', { path, position, data: chunk.subarray(0, bytesRead) }, options);
      if (bytesRead === 0) return target;
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Writes a text into a file of the home folder. @throws as `putFile` */
export async function putText(session: Session, text: string, path: string, options: CallOptions): Promise<void> {
  await session.call('writeFile', { path, position: 0, data: Buffer.from(text) }, options);
}

/**
 * Copies the files that a pattern names into a folder.
 * @param isGlob true: `*` in the pattern matches any text; false: the pattern is one path
 * @returns nothing if there is no such file, or one of them is being written
 * @throws PilothouseError VALIDATION_FAILED for a path outside the home folder; Error for too many or too large files. No copy stays
 */
export async function collectFiles(
  session: Session,
  { pattern, isGlob }: { readonly pattern: string; readonly isGlob: boolean },
  folder: string,
  options: CallOptions,
): Promise<CollectedFile[]> {
  const copies: string[] = [];
  const collected = await copyMatchingFiles(session, { pattern, isGlob }, folder, copies, options).catch(
    async (error: unknown) => {
      await removeFiles(copies);
      throw error;
    },
  );
  if (collected === null) await removeFiles(copies);
  return collected ?? [];
}

/** @param copies gets the path of each copy before it is written @returns null: a file changed meanwhile */
async function copyMatchingFiles(
  session: Session,
  { pattern, isGlob }: { readonly pattern: string; readonly isGlob: boolean },
  folder: string,
  copies: string[],
  options: CallOptions,
): Promise<CollectedFile[] | null> {
  const collected: CollectedFile[] = [];
  const files = await session.call('matchingFiles', { pattern, isGlob }, options);
  const announced = files.reduce((bytes, { size }) => bytes + size, 0);
  assertTotal(pattern, announced);
  let total = 0;
  for (const { path, size, version } of files) {
    const name = basename(path);
    assertSize(name, size);
    await mkdir(folder, { recursive: true });
    const { copy, copyFile } = await createUnique(folder, name);
    copies.push(copy);
    try {
      const copied = await copyChunks(session, { path, version }, copyFile, options);
      if (copied === null) return null;
      total += copied;
      // The session is not trusted: a file may be larger than announced.
      assertTotal(pattern, total);
      const head = Buffer.alloc(CONTENT_TYPE_BYTES);
      const { bytesRead } = await copyFile.read(head, 0, CONTENT_TYPE_BYTES, 0);
      collected.push({ path, name, copy, size: copied, contentType: contentTypeOf(name, head.subarray(0, bytesRead)) });
    } finally {
      await copyFile.close();
    }
  }
  return collected;
}

/** @returns bytes; null: the file changed meanwhile */
async function copyChunks(
  session: Session,
  { path, version }: { readonly path: string; readonly version: string },
  target: FileHandle,
  options: CallOptions,
): Promise<number | null> {
  for (let position = 0; ;) {
    const chunk = await session.call('readFile', { path, position }, options);
    if (chunk.version !== version) return null;
    if (chunk.data.length === 0) return position;
    assertSize(basename(path), position + chunk.data.length);
    for (let offset = 0; offset < chunk.data.length;) {
      const { bytesWritten } = await target.write(chunk.data, offset, chunk.data.length - offset, position);
      offset += bytesWritten;
      position += bytesWritten;
    }
  }
}

function assertSize(name: string, bytes: number): void {
  if (bytes > MAX_FILE_BYTES)
    throw new Error(`${name} has ${bytes} bytes or more: the limit is ${MAX_FILE_BYTES / 1_048_576} MiB`);
}

function assertTotal(pattern: string, bytes: number): void {
  if (bytes > MAX_COLLECTED_BYTES)
    throw new Error(
      `The files that match ${JSON.stringify(pattern)} have more than ${MAX_COLLECTED_BYTES / 1_048_576} MiB together; use a narrower pattern`,
    );
}

const removeFiles = (paths: readonly string[]): Promise<unknown> =>
  Promise.all(paths.map((path) => rm(path, { force: true })));

/** The name with a number in front, shortened at its start to the limit of file systems, so that its extension stays. */
function numberedName(name: string, number: number): string {
  if (number === 1) return name;
  const prefix = `${number}-`;
  let rest = name;
  while (Buffer.byteLength(prefix + rest) > MAX_NAME_BYTES) rest = [...rest].slice(1).join('');
  return prefix + rest;
}

async function createUnique(folder: string, name: string): Promise<{ copy: string; copyFile: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const copy = join(folder, numberedName(name, number));
    try {
      return { copy, copyFile: await open(copy, 'wx+') };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number > 1_000) throw error;
    }
  }
}
