import type { Log } from '@pilothouse/core/ports/runtime.port';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';

/** Milliseconds for the current work of a job at shutdown. The next run, here or in another replica, does the rest. */
export const JOB_STOP_MS = 2_000;

/** Waits at most `ms` for `closing`, so that an unavailable server cannot hold up the shutdown. @throws the error of `closing` */
export async function closeWithin(
  name: string,
  closing: Promise<unknown>,
  ms: number,
  log: Log,
  timers: Timers = systemTimers,
): Promise<void> {
  if (await settlesWithin(closing, ms, timers)) await closing;
  else log.warn({ ms }, `closing ${name} timed out`);
}
