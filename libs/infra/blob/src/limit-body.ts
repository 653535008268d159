import { Readable } from 'node:stream';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * Counts the chunks of a body. Does not destroy a body that is too large, so that its sender can receive a response.
 * @throws PilothouseError PAYLOAD_TOO_LARGE beyond `maxBytes`; UPLOAD_FAILED when the body breaks off; the reason of
 * the signal
 */
export async function* limitBody(body: Readable | Buffer, { maxBytes, signal }: BodyLimits): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunksOf(body, signal)) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new PilothouseError('PAYLOAD_TOO_LARGE', `The object has more than ${maxBytes} bytes`);
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
  // A source that stalls must not delay an abort: destroying it ends the wait.
  const stop = () => body.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    throwIfAborted(signal);
    throw new PilothouseError('UPLOAD_FAILED', `The upload was interrupted: ${toPilothouseError(error).message}`, {
      cause: error,
    });
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  throwIfAborted(signal);
}

/** Throws the reason of an aborted signal as a PilothouseError. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw toPilothouseError(signal.reason, 'UPLOAD_FAILED');
}
