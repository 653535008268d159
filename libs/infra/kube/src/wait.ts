import { setTimeout as timer } from 'node:timers/promises';

/** Milliseconds to wait after so many failures in a row: doubling, with jitter, so that replicas do not come all at once. */
export function backoffMs(failures: number, random = Math.random): number {
  const full = Math.min(5_000, 100 * 2 ** Math.min(failures - 1, 16));
  return full / 2 + (full / 2) * random();
}

/** Waits; ends early and without an error when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal }).catch(() => undefined);
}
