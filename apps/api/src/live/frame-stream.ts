import { randomUUID } from 'node:crypto';
import { systemTimers } from '@pilothouse/core/time/timers';

/** Holds the latest value; a slow consumer skips earlier ones. */
export function latestValue<Value>() {
  let newest: { readonly value: Value } | undefined;
  let wake: () => void = () => undefined;
  return {
    push: (value: Value): void => {
      newest = { value };
      wake();
    },
    /** Yields the latest value until the signal aborts; repeats it after `repeatMs` without a new one. */
    iterate: async function* (signal: AbortSignal, repeatMs: number): AsyncGenerator<Value> {
      let last: { readonly value: Value } | undefined;
      while (!signal.aborted) {
        if (!newest) {
          await new Promise<void>((resolve) => {
            const timer = systemTimers.setTimeout(resolve, repeatMs);
            const end = () => {
              systemTimers.clearTimeout(timer);
              signal.removeEventListener('abort', end);
              resolve();
            };
            wake = end;
            signal.addEventListener('abort', end, { once: true });
          });
          wake = () => undefined;
        }
        if (signal.aborted) return;
        last = newest ?? last;
        newest = undefined;
        if (last) yield last.value;
      }
    },
  };
}

/** A stream of JPEGs in which each replaces the previous one. */
export interface MjpegStream {
  readonly contentType: string;
  readonly chunks: AsyncGenerator<Buffer>;
}

/** Formats frames as an MJPEG stream. The boundary is random: a worker cannot write a part of its own into a frame. */
export function mjpegStream(frames: AsyncIterable<Buffer>, boundary: string = randomUUID()): MjpegStream {
  const partHead = `--${boundary}\r\nContent-Type: image/jpeg\r\n\r\n`;
  return { contentType: `multipart/x-mixed-replace; boundary=${boundary}`, chunks: partsOf(frames, partHead) };
}

/**
 * Each chunk ends with the head of the next part: Chromium shows a part only when it has read the next head. So no part states its
 * length.
 */
async function* partsOf(frames: AsyncIterable<Buffer>, partHead: string): AsyncGenerator<Buffer> {
  yield Buffer.from(partHead);
  for await (const jpeg of frames) yield Buffer.concat([jpeg, Buffer.from(`\r\n${partHead}`)]);
}
