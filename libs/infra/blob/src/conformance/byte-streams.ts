import { createCipheriv, createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** Returns deterministic pseudo-random bytes. */
export function bytes(length: number, seed = 'pilothouse'): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** Yields the bytes in chunks. With `breaksOff` it then throws. */
export function byteStream(body: Buffer, { piece = 64 * 1024, breaksOff = false } = {}): Readable {
  function* chunks() {
    for (let offset = 0; offset < body.length; offset += piece) yield body.subarray(offset, offset + piece);
    if (breaksOff) throw new Error('the sender hung up');
  }
  return Readable.from(chunks(), { objectMode: false });
}

/** Yields one byte and then never ends. */
export function stalledStream(): Readable {
  let isSent = false;
  return new Readable({
    read() {
      if (!isSent) this.push('x');
      isSent = true;
    },
  });
}

/** Reads a stream to its end. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Collects an async iterable. */
export async function listAll(keys: AsyncIterable<string>): Promise<string[]> {
  const items: string[] = [];
  for await (const key of keys) items.push(key);
  return items;
}

/** Resolves with the rejection reason of the promise. */
export async function errorCodeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It was not refused');
}
