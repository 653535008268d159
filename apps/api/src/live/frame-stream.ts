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

/** Separates two frames. No JPEG contains it. */
const BOUNDARY = 'pilothouse-frame';

/** Content type of a stream of JPEGs in which each replaces the previous one. */
export const MJPEG_CONTENT_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

const NEXT = `--${BOUNDARY}\r\nContent-Type: image/jpeg\r\n\r\n`;

/**
 * Formats frames as an MJPEG stream. Each chunk ends with the header of the next part: Chromium shows a part only when it has
 * read the next header. So no part states its length.
 */
export async function* toMjpeg(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(NEXT);
  for await (const jpeg of frames) yield Buffer.concat([jpeg, Buffer.from(`\r\n${NEXT}`)]);
}
