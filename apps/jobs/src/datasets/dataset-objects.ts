import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { readObject } from '@pilothouse/infra-blob';

/* Objects of datasets: `datasets/<id>/…`. */

/** Maximum size of an image, in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/** Maximum size of a file, in bytes: an S3 upload has at most 10,000 parts, here of 8 MiB. */
const MAX_FILE_BYTES = 10_000 * 8 * 1024 * 1024;

export const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

export const datasetFolder = (dataset: string): string => `datasets/${dataset}`;

export const exportFolder = (dataset: string, id: string): string => `${datasetFolder(dataset)}/exports/${id}`;

/** Start of the names of files with the steps that a dataset left out. */
export const OMISSIONS_PREFIX = 'omissions-';

/** Path of an image in the folder of a dataset or an export. */
export const imagePath = (hash: string): string => `images/${hash.slice(0, 1)}/${hash}.jpg`;

/** Reads a whole object; null: the object is missing. @throws PilothouseError PAYLOAD_TOO_LARGE */
export async function findObject(objects: BlobStore, key: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return await readObject(objects, key, maxBytes);
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Lines of a text object, one at a time. @throws PilothouseError NOT_FOUND */
export async function* readLines(objects: BlobStore, key: string): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of (await objects.get(key)) as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
};

/** Content type of a file of an export, by its name. */
export const contentTypeOf = (name: string): string =>
  CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';

/** Hash and size of a file. */
export interface WrittenFile {
  readonly sha256: string;
  readonly bytes: number;
}

/** Minimum size of an uploaded chunk, in bytes. */
const CHUNK_BYTES = 256 * 1024;

/** Writes texts as one object, and returns its hash. Memory does not depend on its size. */
export async function writeFile(
  objects: BlobStore,
  key: string,
  texts: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
  { contentType, signal }: { readonly contentType: string; readonly signal: AbortSignal },
): Promise<WrittenFile> {
  const hash = createHash('sha256');
  const counter = { bytes: 0 };
  const body = Readable.from(chunksOf(texts, hash, counter), { objectMode: false });
  await objects.put(key, body, { contentType, maxBytes: MAX_FILE_BYTES, signal });
  return { sha256: hash.digest('hex'), bytes: counter.bytes };
}

async function* chunksOf(
  texts: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
  hash: Hash,
  counter: { bytes: number },
): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const text of texts) {
    const data = typeof text === 'string' ? Buffer.from(text) : text;
    hash.update(data);
    counter.bytes += data.length;
    pending.push(data);
    size += data.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(pending);
}

/** Maps items concurrently, and yields the results in order. @param concurrency maximum number of items at a time */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  concurrency: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = map(item);
      // The error is thrown when the result is yielded.
      result.catch(() => undefined);
      running.push(result);
      if (running.length >= concurrency) yield await (running.shift() as Promise<Result>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<Result>);
  } finally {
    await Promise.allSettled(running);
  }
}
