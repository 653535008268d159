import { once } from 'node:events';
import { setTimeout as timer } from 'node:timers/promises';
import { PilothouseError } from '@pilothouse/contract';

/**
 * Waits for work that is to end by a deadline: gives up on it even where it does not look at its signal.
 * @throws what the work throws; UNAVAILABLE when it takes longer; the reason of the signal when that aborts
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const late = new PilothouseError('UNAVAILABLE', `${what} took longer than ${ms} ms`);
  const clock = timer(ms, undefined, { signal: ended.signal }).then(
    () => ended.abort(late),
    () => undefined,
  );
  const either = AbortSignal.any([signal, ended.signal]);
  try {
    either.throwIfAborted();
    const gaveUp = once(either, 'abort').then(() => {
      throw either.reason;
    });
    gaveUp.catch(() => undefined);
    return await Promise.race([work(either), gaveUp]);
  } finally {
    ended.abort();
    await clock;
  }
}

/** Looks again and again until the condition holds or the time is over. Returns whether it holds. */
export async function poll(condition: () => boolean | Promise<boolean>, ms: number, everyMs = 25): Promise<boolean> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() >= end) return false;
    await timer(everyMs);
  }
  return true;
}

/** A wait that can be cut short. A call of `wake` between two waits is not lost. */
export class WakeableTimer {
  #awake = new AbortController();

  wake(): void {
    this.#awake.abort();
  }

  /** Returns after `ms`, at `wake`, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#awake.signal]);
    await timer(ms, undefined, { signal: either }).catch(() => undefined);
    if (this.#awake.signal.aborted) this.#awake = new AbortController();
  }
}
