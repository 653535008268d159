import { systemTimers } from '@pilothouse/core';

/** A place for the newest of something: who takes gets what was given last, whatever came in between. */
export function latestValue<Value>() {
  let newest: { readonly value: Value } | undefined;
  let wake: () => void = () => undefined;
  return {
    push: (value: Value): void => {
      newest = { value };
      wake();
    },
    /** Yields the latest value until the signal aborts; repeats it after `againMs` without a new one. */
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

/** Between two frames; no JPEG has it. */
const BOUNDARY = 'pilothouse-frame';

/** Of a stream of JPEGs each of which takes the place of the one before: what an `<img>` shows as a film. */
export const MJPEG_CONTENT_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

const NEXT = `--${BOUNDARY}\r\nContent-Type: image/jpeg\r\n\r\n`;

/**
 * Frames as such a stream. With each goes the head of the one that will follow: Chromium shows a part when it has read the head of the next, which
 * for the last before a rest would be long after. So none says how long it is.
 */
export async function* toMjpeg(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(NEXT);
  for await (const jpeg of frames) yield Buffer.concat([jpeg, Buffer.from(`\r\n${NEXT}`)]);
}
