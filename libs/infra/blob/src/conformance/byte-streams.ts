import { createCipheriv, createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** Bytes that look random and are the same every time. */
export function bytes(length: number, seed = 'pilothouse'): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** A source that gives the bytes piece by piece, and, with `breaksOff`, then fails. */
export function byteStream(body: Buffer, { piece = 64 * 1024, breaksOff = false } = {}): Readable {
  function* pieces() {
    for (let at = 0; at < body.length; at += piece) yield body.subarray(at, at + piece);
    if (breaksOff) throw new Error('the sender hung up');
  }
  return Readable.from(pieces(), { objectMode: false });
}

/** A source that gives one byte and then waits for ever. */
export function stalledStream(): Readable {
  let given = false;
  return new Readable({
    read() {
      if (!given) this.push('x');
      given = true;
    },
  });
}

/** All that a stream gives. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** All that an async list gives. */
export async function listAll(keys: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const key of keys) all.push(key);
  return all;
}

/** Resolves with the error that the promise rejects with. */
export async function errorCodeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It was not refused');
}
