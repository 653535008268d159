import { systemTimers, type Timers } from './timers.ts';

/** Delays between attempts: they double up to a maximum. */
export interface Backoff {
  /** Delay after the first failure, in milliseconds. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Random share of the delay, between 0 (default) and 1. It keeps clients from retrying at the same instant. */
  readonly jitter?: number;
}

/**
 * Milliseconds to wait before the next attempt.
 * @param failures failures in a row, 1 or more
 * @param random a number between 0 and 1
 */
export function backoffMs({ firstMs, maxMs, jitter = 0 }: Backoff, failures: number, random = Math.random): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return full * (1 - jitter + jitter * random());
}

/** Milliseconds chosen evenly between `ms` less the share and `ms` plus the share. */
export const jitteredMs = (ms: number, share: number, random = Math.random) => ms * (1 + share * (2 * random() - 1));

export interface RetryCallOptions {
  readonly backoff: Backoff;
  readonly signal?: AbortSignal;
  /** Decides if another attempt follows after the delay. It may log, or throw a better error. `failures` includes this one. */
  isRetryable(error: unknown, next: { readonly failures: number; readonly delayMs: number }): boolean;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** Repeats a call until it succeeds. @throws the error that may not be retried; the reason of the signal */
export async function retry<Value>(
  call: (attempt: { readonly failures: number }) => Promise<Value>,
  options: RetryCallOptions,
): Promise<Value> {
  const { backoff, signal, timers = systemTimers, random } = options;
  for (let failures = 0; ;) {
    try {
      return await call({ failures });
    } catch (error) {
      failures += 1;
      const delayMs = backoffMs(backoff, failures, random);
      if (!options.isRetryable(error, { failures, delayMs })) throw error;
      await timers.delay(delayMs, signal);
    }
  }
}
