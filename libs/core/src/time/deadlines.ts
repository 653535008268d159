import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Context } from '../ports/runtime.port.ts';
import { systemTimers, type Timer, type Timers } from './timers.ts';

/** The part of a context that bounds a wait. */
export interface Deadline extends Pick<Context, 'signal' | 'deadline'> {
  /** Timers that the deadline is measured with. Default: the timers of the machine. */
  readonly timers?: Timers | undefined;
}

/** The timers that measure the deadline of a context. */
export const timersOf = ({ timers = systemTimers }: Pick<Deadline, 'timers'>): Timers => timers;

/** Milliseconds left; 0 when the deadline is past. */
export const remainingMs = (context: Pick<Deadline, 'deadline' | 'timers'>, timers = timersOf(context)) =>
  Math.max(0, context.deadline - timers.monotonic());

/** The same signal with a deadline at most `ms` from now. */
export const limitDeadline = (context: Deadline, ms: number, timers = timersOf(context)): Deadline => ({
  signal: context.signal,
  deadline: Math.min(context.deadline, timers.monotonic() + ms),
  ...(context.timers && { timers: context.timers }),
});

/** The same signal and timers with a deadline `ms` from now. It may be later than the deadline of the context. */
export const newDeadline = ({ signal, timers }: Pick<Deadline, 'signal' | 'timers'>, ms: number): Deadline => ({
  signal,
  deadline: timersOf({ timers }).monotonic() + ms,
  ...(timers && { timers }),
});

/** Signal of one call: it aborts with the signal of the context, at its deadline, or after `ms`. */
export const callSignal = (context: Deadline, ms: number, timers = timersOf(context)): AbortSignal =>
  AbortSignal.any([context.signal, AbortSignal.timeout(Math.ceil(Math.min(ms, remainingMs(context, timers))))]);

export interface TimeoutOptions {
  /** The error at the end of the time. Default: DOMException TimeoutError. */
  readonly error?: () => unknown;
  readonly timers?: Timers;
}

const timeoutError = (ms: number) => new DOMException(`Not done within ${ms / 1000} s`, 'TimeoutError');

/** Waits for a promise or the abort of the signal, whichever is first; the work behind the promise continues. */
export function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    settle(promise, resolve, reject, () => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Waits at most `ms`; the work behind the promise continues. @throws the error of the promise; the error of the options
 */
export function withTimeout<Value>(promise: Promise<Value>, ms: number, options: TimeoutOptions = {}): Promise<Value> {
  const { timers = systemTimers, error = () => timeoutError(ms) } = options;
  return new Promise((resolve, reject) => {
    const timer = timers.setTimeout(() => reject(error() as Error), ms);
    settle(promise, resolve, reject, () => timers.clearTimeout(timer));
  });
}

/**
 * Bounds work by a time and a signal. It uses neither `AbortSignal.timeout` nor `AbortSignal.any`: their timers and weak references stay
 * until the time is over.
 * @param work gets a signal that aborts at either bound, and is not waited for after that
 * @throws what the work throws; the reason of `signal`; the error of the options
 */
export async function withDeadline<Value>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
  options: TimeoutOptions = {},
): Promise<Value> {
  const { timers = systemTimers, error = () => timeoutError(ms) } = options;
  signal.throwIfAborted();
  const controller = new AbortController();
  const unlink = linkAbort(signal, (reason) => controller.abort(reason));
  const timer = timers.setTimeout(() => controller.abort(error()), ms);
  try {
    return await raceAbort(work(controller.signal), controller.signal);
  } finally {
    timers.clearTimeout(timer);
    unlink();
  }
}

/**
 * Waits for a promise until the deadline of a context. The work behind the promise continues; its later failure is ignored.
 * @param subject start of the error message, e.g. `The click`
 * @throws PilothouseError STEP_TIMED_OUT at the deadline; the reason of the signal
 */
export async function raceDeadline<Value>(
  promise: Promise<Value>,
  context: Deadline,
  subject: string,
  timers = timersOf(context),
): Promise<Value> {
  const { signal } = context;
  promise.catch(() => undefined);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    const onTimeout = () =>
      reject(new PilothouseError('STEP_TIMED_OUT', `${subject} did not end within the time of the step`));
    const timer = timers.setTimeout(onTimeout, remainingMs(context, timers));
    signal.addEventListener('abort', onAbort);
    settle(promise, resolve, reject, () => {
      timers.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Waits at most `ms`. @returns whether the promise settled in time, fulfilled or rejected */
export async function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  timers: Timers = systemTimers,
): Promise<boolean> {
  const done = promise.then(
    () => true,
    () => true,
  );
  return withTimeout(done, ms, { timers }).catch(() => false);
}

export interface GraceOptions extends TimeoutOptions {
  readonly graceMs: number;
}

/**
 * Waits for work that ends by itself after an abort, and cleans up. After the abort it has `graceMs`.
 * @throws what the work throws; the error of the options when it does not end in time
 */
export function waitWithGrace<Value>(work: Promise<Value>, signal: AbortSignal, options: GraceOptions): Promise<Value> {
  const { graceMs, timers = systemTimers, error = () => timeoutError(graceMs) } = options;
  return new Promise((resolve, reject) => {
    let grace: Timer | undefined;
    const unlink = linkAbort(signal, () => {
      grace = timers.setTimeout(() => reject(error() as Error), graceMs);
    });
    settle(work, resolve, reject, () => {
      timers.clearTimeout(grace);
      unlink();
    });
  });
}

/** Delays by `ms`; ends early, without an error, at the deadline. @throws the reason of the signal */
export const delayWithin = (ms: number, context: Deadline, timers = timersOf(context)): Promise<void> =>
  timers.delay(Math.min(ms, remainingMs(context, timers)), context.signal);

export interface PollOptions {
  /** Milliseconds between probes; the last one repeats. Default: frequent probes that slow down to 100 ms. */
  readonly everyMs?: readonly [number, ...number[]];
  readonly timers?: Timers;
}

const POLL_MS = [5, 10, 20, 40, 80, 100] as const;

/**
 * Probes repeatedly until a probe returns something other than `undefined`, or the deadline.
 * @returns undefined at the deadline; the first probe always happens
 * @throws what the probe throws; the reason of the signal
 */
export async function poll<Value>(
  probe: () => Promise<Value | undefined>,
  context: Deadline,
  { everyMs = POLL_MS, timers = timersOf(context) }: PollOptions = {},
): Promise<Value | undefined> {
  for (let round = 0; ; round += 1) {
    const value = await probe();
    if (value !== undefined) return value;
    if (remainingMs(context, timers) === 0) return undefined;
    await delayWithin(everyMs[round] ?? (everyMs.at(-1) as number), context, timers);
  }
}

/** Probes a condition every `everyMs`. @returns whether it held within `ms`; the first probe always happens */
export async function holdsWithin(
  condition: () => boolean | Promise<boolean>,
  ms: number,
  everyMs = 25,
  timers: Timers = systemTimers,
): Promise<boolean> {
  const deadline = timers.monotonic() + ms;
  while (!(await condition())) {
    if (timers.monotonic() >= deadline) return false;
    await timers.delay(everyMs);
  }
  return true;
}

/** Calls back with the reason when the signal aborts, or immediately if it is aborted. @returns a function that removes the listener */
export function linkAbort(signal: AbortSignal, onAborted: (reason: unknown) => void): () => void {
  const onAbort = () => onAborted(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return () => signal.removeEventListener('abort', onAbort);
}

/** Calls the cleanup, then settles as the promise did. `finally` would create two more promises. */
function settle<Value>(
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
