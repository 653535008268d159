import type { S3Bucket } from './s3-bucket.ts';

/** Size of a part, and maximum size of a single request. S3 accepts 10,000 parts of at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
const PART_TIMEOUT_MS = 120_000;

interface Upload {
  readonly key: string;
  readonly contentType: string;
  readonly signal?: AbortSignal;
  /** Fails with `PreconditionFailed` when the object exists. */
  readonly isNew?: boolean;
}

const conditionOf = ({ isNew = false }: Upload): Record<string, string> => (isNew ? { 'if-none-match': '*' } : {});

/*
 * The putObject of the client is not used for streams. It does not detect a source that breaks off. It adds parts to
 * any other unfinished upload to the same key. It buffers parts of 512 MiB when the length is unknown.
 */

/** Uploads an object of any length. A failed upload leaves no parts. */
export async function uploadObject(bucket: S3Bucket, chunks: AsyncIterable<Buffer>, upload: Upload): Promise<void> {
  const parts = splitIntoParts(chunks);
  const first = await parts.next();
  const firstPart = first.done ? Buffer.alloc(0) : first.value;
  const second = firstPart.length < PART_BYTES ? await parts.return(undefined) : await parts.next();
  if (second.done) return putObject(bucket, firstPart, upload);
  await putMultipart(bucket, concatIterables([firstPart, second.value], parts), upload);
}

async function putObject(bucket: S3Bucket, body: Buffer, upload: Upload): Promise<void> {
  const { key, contentType, signal } = upload;
  const headers = { 'Content-Type': contentType };
  await bucket.call((client) => client.putObject(bucket.name, key, body, body.length, headers), {
    ms: PART_TIMEOUT_MS,
    signal,
    headers: conditionOf(upload),
  });
}

async function putMultipart(bucket: S3Bucket, parts: AsyncIterable<Buffer>, upload: Upload): Promise<void> {
  const { key, contentType, signal } = upload;
  const { name } = bucket;
  const headers = { 'Content-Type': contentType };
  const id = await bucket.call((client) => client.initiateNewMultipartUpload(name, key, headers), { signal });
  try {
    const sentParts: { part: number; etag: string }[] = [];
    for await (const body of parts) {
      const part = sentParts.length + 1;
      const config = { bucketName: name, objectName: key, uploadID: id, partNumber: part, headers: {} };
      const { etag } = await bucket.call((client) => client.uploadPart(config, body), { ms: PART_TIMEOUT_MS, signal });
      sentParts.push({ part, etag });
    }
    await bucket.call((client) => client.completeMultipartUpload(name, key, id, sentParts), {
      ms: PART_TIMEOUT_MS,
      signal,
      headers: conditionOf(upload),
    });
  } catch (error) {
    // The first error is reported. Parts that remain are removed by the lifecycle rule of the store for unfinished
    // uploads.
    await bucket.call((client) => client.abortMultipartUpload(name, key, id)).catch(() => undefined);
    throw error;
  }
}

/** Groups chunks into parts of PART_BYTES; the last part may be smaller. */
async function* splitIntoParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let buffers: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (size + rest.length >= PART_BYTES) {
      const missingBytes = PART_BYTES - size;
      yield Buffer.concat([...buffers, rest.subarray(0, missingBytes)]);
      rest = rest.subarray(missingBytes);
      buffers = [];
      size = 0;
    }
    if (rest.length > 0) {
      buffers.push(rest);
      size += rest.length;
    }
  }
  if (size > 0) yield Buffer.concat(buffers);
  return undefined;
}

async function* concatIterables(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}
