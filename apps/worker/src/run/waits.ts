import { PilothouseError } from '@pilothouse/contract';

/** Milliseconds that something aborted has to come back. */
const ABORT_GRACE_MS = 3_000;

/** Waits for a promise or the abort of the signal, whichever is first; the work behind the promise goes on. */
export function orAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Waits so long at most. @returns whether the promise settled in time; how it settled is not said */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const late = AbortSignal.timeout(ms);
  await orAbort(promise, late).catch(() => undefined);
  return !late.aborted;
}

/**
 * Waits for work that is told of the abort by its own signal and ends by itself, cleaning up. Work that does not is left behind:
 * its surface is no good any more.
 * @throws what the work throws; PilothouseError SURFACE_LOST when it does not come back
 */
export function untilItEnds<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  graceMs = ABORT_GRACE_MS,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const onAbort = () => {
      grace = setTimeout(
        () =>
          reject(new PilothouseError('SURFACE_LOST', 'The surface does not come back from an action that was stopped')),
        graceMs,
      );
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Aborts one thing when a signal does, with its reason. @returns what ends the tie */
export function follow(signal: AbortSignal, stop: (reason: unknown) => void): () => void {
  const onAbort = () => stop(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}
