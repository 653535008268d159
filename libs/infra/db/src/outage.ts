import { setTimeout as pause } from 'node:timers/promises';
import { PilothouseError } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { isDatabaseUnavailable, isDatabaseBusy } from './unavailable.ts';

/** Milliseconds until something is tried again: at first, and at most. */
const AGAIN_MS = 50;
const MOST_MS = 1_000;

/** How long an outage of PostgreSQL is waited out. */
export interface RetryDeadline {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Monotonic milliseconds from which on nothing is tried again. */
  readonly deadline: number;
  /** Aborts when nobody waits any more. */
  readonly signal?: AbortSignal;
}

/**
 * Does what needs PostgreSQL, and does it again while that is away, or others are in the way.
 * @param work is told whether it failed before: what was asked on a connection that broke may have been done
 * @throws PilothouseError UNAVAILABLE when PostgreSQL is away until the deadline; the reason of the signal; what else `work` throws
 */
export async function retryWhileUnavailable<Result>(
  work: (again: boolean) => Promise<Result>,
  { clock, deadline, signal }: RetryDeadline,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(tries > 0);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isDatabaseUnavailable(error) && !isDatabaseBusy(error)) throw error;
      const ms = Math.min(AGAIN_MS * 2 ** tries, MOST_MS);
      if (clock.monotonic() + ms > deadline)
        throw new PilothouseError('UNAVAILABLE', 'The database does not answer; try again soon', { cause: error });
      await pause(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}
