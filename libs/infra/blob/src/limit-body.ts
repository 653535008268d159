import { Readable } from 'node:stream';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * The chunks of a body, counted on the way. The body is not destroyed when it is too large: its sender is to get an answer.
 * @throws PilothouseError PAYLOAD_TOO_LARGE beyond `maxBytes`; UPLOAD_FAILED when the body breaks off; the reason of the signal.
 */
export async function* limitBody(body: Readable | Buffer, { maxBytes, signal }: BodyLimits): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunksOf(body, signal)) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new PilothouseError('PAYLOAD_TOO_LARGE', `The object has more than the ${maxBytes} bytes it may have`);
    }
    yield chunk;
  }
}

async function* chunksOf(body: Readable | Buffer, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  throwIfAborted(signal);
  if (Buffer.isBuffer(body)) {
    yield body;
    return;
  }
  // A source that never speaks again must not hold the signal up: destroying it ends the wait.
  const stop = () => body.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    throwIfAborted(signal);
    throw new PilothouseError('UPLOAD_FAILED', `The body broke off: ${toPilothouseError(error).message}`, {
      cause: error,
    });
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  throwIfAborted(signal);
}

/** Throws the reason of an aborted signal as an error of the catalogue. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw toPilothouseError(signal.reason, 'UPLOAD_FAILED');
}
