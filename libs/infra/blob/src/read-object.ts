import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';

/**
 * Reads a whole object into memory.
 * @throws PilothouseError NOT_FOUND; PAYLOAD_TOO_LARGE beyond `maxBytes`
 */
export async function readObject(store: Pick<BlobStore, 'get'>, key: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the stream.
  for await (const chunk of await store.get(key)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes)
      throw new PilothouseError('PAYLOAD_TOO_LARGE', `The object ${key} has more than ${maxBytes} bytes.`);
  }
  return Buffer.concat(chunks);
}
