import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  FIRST_DELAY_MS,
  MAX_DELAY_MS,
  sleep,
  sseConnection,
  type SseMessage,
  type SseRequest,
  type SseSource,
} from './sse-connection.ts';

export interface ResumedStream<Item> {
  /** Request of the next connection, which continues after the last item. */
  readonly request: () => SseRequest;
  /** Converts a message. Returns null for an item that was yielded before. */
  readonly read: (message: SseMessage) => Item | null;
  /** True if no item can follow. */
  readonly isLast: (item: Item) => boolean;
  /**
   * Called when a connection was refused, with the number of refusals in a row. An error that it throws ends the
   * iteration.
   */
  readonly onRefusal?: ((refusals: number, error: PilothouseError) => void) | undefined;
}

/**
 * Yields the items of a stream across connections until it has ended. Resumes a broken connection, and retries an
 * unavailable API with exponential backoff. The signal ends the iteration without an error.
 * @throws ApiError when a retry cannot succeed; errors of `read` and `onRefusal`
 */
export async function* resumedStream<Item>(
  source: SseSource,
  { request, read, isLast, onRefusal }: ResumedStream<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  let delayMs = FIRST_DELAY_MS;
  let refusals = 0;
  const isStopped = () => signal?.aborted === true;
  while (!isStopped()) {
    try {
      for await (const message of sseConnection(source, { ...request(), onResponse: () => (refusals = 0) }, signal)) {
        if (message === 'end') return;
        const item = read(message);
        if (item === null) continue;
        delayMs = FIRST_DELAY_MS;
        yield item;
        if (isLast(item)) return;
      }
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof PilothouseError) {
        if (error.retry !== 'same-request') throw error;
        refusals += 1;
        onRefusal?.(refusals, error);
      }
    }
    if (isStopped()) return;
    // Jitter: clients of the same server do not reconnect at the same time.
    await sleep(delayMs * (0.5 + Math.random() / 2), signal);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
}
