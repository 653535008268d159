import { settlesWithin, systemTimers, type Log, type Timers } from '@pilothouse/core';

/** Milliseconds for what a job has at hand when the process stops: its next look, here or in another replica, does the rest. */
export const JOB_STOP_MS = 2_000;

/** Waits for a part to close, so many milliseconds at most: a server that is away must not keep the process from stopping. @throws what closing throws */
export async function closeWithin(
  what: string,
  closing: Promise<unknown>,
  ms: number,
  log: Log,
  timers: Timers = systemTimers,
): Promise<void> {
  if (await settlesWithin(closing, ms, timers)) await closing;
  else log.warn({ ms }, `Closing ${what} takes too long; it is left`);
}
