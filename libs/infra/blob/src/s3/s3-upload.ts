import type { S3Bucket } from './s3-bucket.ts';

/** Bytes of a part, and the largest object sent in one request. S3 takes 10,000 parts of at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
const PART_MS = 120_000;

interface Upload {
  readonly key: string;
  readonly contentType: string;
  readonly signal?: AbortSignal;
  /** Refused with `PreconditionFailed` where an object is. */
  readonly isNew?: boolean;
}

const conditionOf = ({ isNew = false }: Upload): Record<string, string> => (isNew ? { 'if-none-match': '*' } : {});

/*
 * The client's own putObject is not used for streams: it never notices a source that breaks off, goes on with the parts
 * of any other unfinished upload to the same key, and takes parts of 512 MiB into memory when the length is unknown.
 */

/** Sends an object of any length; what breaks off leaves no parts behind. */
export async function uploadObject(bucket: S3Bucket, chunks: AsyncIterable<Buffer>, upload: Upload): Promise<void> {
  const parts = partsOf(chunks);
  const first = await parts.next();
  const only = first.done ? Buffer.alloc(0) : first.value;
  const second = only.length < PART_BYTES ? await parts.return(undefined) : await parts.next();
  if (second.done) return sendWhole(bucket, only, upload);
  await sendParts(bucket, joined([only, second.value], parts), upload);
}

async function sendWhole(bucket: S3Bucket, body: Buffer, upload: Upload): Promise<void> {
  const { key, contentType, signal } = upload;
  const headers = { 'Content-Type': contentType };
  await bucket.call((client) => client.putObject(bucket.name, key, body, body.length, headers), {
    ms: PART_MS,
    signal,
    headers: conditionOf(upload),
  });
}

async function sendParts(bucket: S3Bucket, parts: AsyncIterable<Buffer>, upload: Upload): Promise<void> {
  const { key, contentType, signal } = upload;
  const { name } = bucket;
  const headers = { 'Content-Type': contentType };
  const id = await bucket.call((client) => client.initiateNewMultipartUpload(name, key, headers), { signal });
  try {
    const sent: { part: number; etag: string }[] = [];
    for await (const body of parts) {
      const part = sent.length + 1;
      const config = { bucketName: name, objectName: key, uploadID: id, partNumber: part, headers: {} };
      const { etag } = await bucket.call((client) => client.uploadPart(config, body), { ms: PART_MS, signal });
      sent.push({ part, etag });
    }
    await bucket.call((client) => client.completeMultipartUpload(name, key, id, sent), {
      ms: PART_MS,
      signal,
      headers: conditionOf(upload),
    });
  } catch (error) {
    // The first error is the one to tell; parts that stay are removed by the store's own rule for unfinished uploads.
    await bucket.call((client) => client.abortMultipartUpload(name, key, id)).catch(() => undefined);
    throw error;
  }
}

/** Gathers chunks into parts: all of PART_BYTES but the last. */
async function* partsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let gathered: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (size + rest.length >= PART_BYTES) {
      const taken = PART_BYTES - size;
      yield Buffer.concat([...gathered, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      gathered = [];
      size = 0;
    }
    if (rest.length > 0) {
      gathered.push(rest);
      size += rest.length;
    }
  }
  if (size > 0) yield Buffer.concat(gathered);
  return undefined;
}

async function* joined(begin: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* begin;
  yield* rest;
}
