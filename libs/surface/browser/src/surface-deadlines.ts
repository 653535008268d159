import { PilothouseError } from '@pilothouse/contract';
import type { Context } from '@pilothouse/core';

/** The part of a context that bounds a wait. */
export type Deadline = Pick<Context, 'signal' | 'deadline'>;

/** Milliseconds left; 0 when the deadline is past. */
export const remainingMs = ({ deadline }: Deadline) => Math.max(0, deadline - performance.now());

/** The same bounds with an earlier deadline. */
export const withTimeout = ({ signal, deadline }: Deadline, ms: number): Deadline => ({
  signal,
  deadline: Math.min(deadline, performance.now() + ms),
});

/**
 * A promise that ends in time: with the reason of the signal when it aborts.
 * What it waited for goes on by itself; its failure is nobody's business any more.
 * @param what begins the sentence of the error, e.g. `The click`
 * @throws PilothouseError STEP_TIMED_OUT at the deadline
 */
export async function raceDeadline<Value>(promise: Promise<Value>, context: Deadline, what: string): Promise<Value> {
  const { signal } = context;
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop = () => {};
  const ended = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    const onTime = () =>
      reject(new PilothouseError('STEP_TIMED_OUT', `${what} did not end within the time of the step`));
    const timer = setTimeout(onTime, Math.min(remainingMs(context), 2 ** 31 - 1));
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    stop();
  }
}

/** Waits; ends early, and quietly, at the deadline. @throws the reason of the signal */
export async function sleep(ms: number, { signal, deadline }: Deadline): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.max(0, Math.min(ms, deadline - performance.now())),
    );
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Milliseconds between looks: what is there already costs one look, what comes soon is seen soon. */
const rhythm = [5, 10, 20, 40, 80];

/**
 * Looks again and again until there is something to return or the deadline is reached.
 * @returns undefined at the deadline; the first look always happens
 */
export async function poll<Value>(
  look: () => Promise<Value | undefined>,
  context: Deadline,
): Promise<Value | undefined> {
  for (let round = 0; ; round += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (remainingMs(context) === 0) return undefined;
    await sleep(rhythm[round] ?? 100, context);
  }
}
