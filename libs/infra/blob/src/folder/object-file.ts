import { type FileHandle, readdir } from 'node:fs/promises';
import { MAX_CONTENT_TYPE, isKeySegment } from '../object-key.ts';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../code-of.ts';

/*
 * A stored file is the object followed by a footer: the content type, its length in two bytes, and four magic bytes.
 * One file needs one rename. Bytes and type always come from the same write, and no sidecar file can get lost. The
 * footer is at the end: ranges need no offset, and image and document viewers can open the file.
 */
const MAGIC = Buffer.from('PHo1', 'latin1');
const TRAILER_BYTES = 2 + MAGIC.length;

/** Creates the footer. */
export function contentTypeFooter(contentType: string): Buffer {
  const type = Buffer.from(contentType, 'utf8');
  const tail = Buffer.alloc(TRAILER_BYTES);
  tail.writeUInt16BE(type.length);
  MAGIC.copy(tail, 2);
  return Buffer.concat([type, tail]);
}

/** Reads the content type and size from the footer of a file of `length` bytes. Null: the file is not an object. */
export async function readFooter(
  file: FileHandle,
  length: number,
): Promise<{ contentType: string; size: number } | null> {
  const end = Buffer.alloc(Math.min(length, MAX_CONTENT_TYPE + TRAILER_BYTES));
  const { bytesRead } = await file.read(end, 0, end.length, length - end.length);
  if (bytesRead !== end.length || end.length < TRAILER_BYTES || !end.subarray(-MAGIC.length).equals(MAGIC)) return null;
  const typeLength = end.readUInt16BE(end.length - TRAILER_BYTES);
  if (typeLength > end.length - TRAILER_BYTES) return null;
  const contentType = end.toString('utf8', end.length - TRAILER_BYTES - typeLength, end.length - TRAILER_BYTES);
  return { contentType, size: length - TRAILER_BYTES - typeLength };
}

/** Lists keys below `root` with a prefix, in byte order, as S3 does. Skips links and temporary files. */
export async function* listKeys(root: string, prefix: string, folder = ''): AsyncGenerator<string> {
  // A folder sorts as `name/`: "a-b" comes before the content of "a".
  const entries = (await entriesOf(join(root, folder))).map((entry) => ({
    entry,
    path: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  }));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { entry, path } of entries) {
    if (entry.isFile() && path.startsWith(prefix)) yield path;
    else if (entry.isDirectory() && (path.startsWith(prefix) || prefix.startsWith(path)))
      yield* listKeys(root, prefix, path);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => isKeySegment(entry.name));
  } catch (error) {
    // Removed during the walk.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
