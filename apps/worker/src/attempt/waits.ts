import { PilothouseError } from '@pilothouse/contract';

/** Milliseconds that something aborted has to come back. */
const ABORT_GRACE_MS = 3_000;

/** Waits for a promise or the abort of the signal, whichever is first; the work behind the promise goes on. */
export function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    settled(promise, resolve, reject, () => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Gives work so long at most, and less when the signal says so. Not by `AbortSignal.timeout` and `any`: their timers and weak references stay until
 * the time is over.
 * @param work is told of the abort, and not waited for after it
 * @throws what the work throws; the reason of `signal`; DOMException TimeoutError
 */
export async function withDeadline<Value>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const stop = new AbortController();
  const untie = linkAbort(signal, (reason) => stop.abort(reason));
  const late = setTimeout(() => stop.abort(tooLate(ms)), ms);
  try {
    return await raceAbort(work(stop.signal), stop.signal);
  } finally {
    clearTimeout(late);
    untie();
  }
}

/** Waits so long at most; the work behind the promise goes on. @throws what the promise does; DOMException TimeoutError */
export function withTimeout<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(tooLate(ms)), ms);
    settled(promise, resolve, reject, () => clearTimeout(late));
  });
}

const tooLate = (ms: number) => new DOMException(`Not done within ${ms / 1000} s`, 'TimeoutError');

/** Waits so long at most. @returns whether the promise settled in time; how it settled is not said */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const done = promise.then(
    () => true,
    () => true,
  );
  return withTimeout(done, ms).catch(() => false);
}

/**
 * Waits for work that is told of the abort by its own signal and ends by itself, cleaning up. Work that does not is left behind:
 * its surface is no good any more.
 * @throws what the work throws; PilothouseError SURFACE_LOST when it does not come back
 */
export function waitWithGrace<Value>(
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
    else signal.addEventListener('abort', onAbort);
    settled(work, resolve, reject, () => {
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Tells how a promise settled, and cleans up. `finally` would make two more promises, and a short run waits some twenty times. */
function settled<Value>(
  promise: Promise<Value>,
  resolve: (value: Value) => void,
  reject: (reason: unknown) => void,
  cleanUp: () => void,
): void {
  promise.then(
    (value) => {
      cleanUp();
      resolve(value);
    },
    (reason: unknown) => {
      cleanUp();
      reject(reason);
    },
  );
}

/** Aborts one thing when a signal does, with its reason. @returns what ends the tie */
export function linkAbort(signal: AbortSignal, stop: (reason: unknown) => void): () => void {
  const onAbort = () => stop(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return () => signal.removeEventListener('abort', onAbort);
}
