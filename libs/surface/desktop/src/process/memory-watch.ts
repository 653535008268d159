import { systemTimers, type Timers } from '@pilothouse/core/time/timers';

/** Milliseconds between two measurements. One reads two small files for each process of the machine. */
const CHECK_INTERVAL_MS = 2_000;

export interface MemoryWatchOptions {
  readonly intervalMs?: number;
  readonly timers?: Timers;
}

/**
 * Measures the memory of a session until the signal aborts.
 * @param onExceeded called once with the measured megabytes
 */
export function watchMemory(
  measureMb: () => Promise<number>,
  maxMb: number,
  onExceeded: (measuredMb: number) => void,
  signal: AbortSignal,
  { intervalMs = CHECK_INTERVAL_MS, timers = systemTimers }: MemoryWatchOptions = {},
): void {
  const check = async () => {
    const measuredMb = await measureMb();
    if (signal.aborted) return;
    if (measuredMb > maxMb) onExceeded(Math.round(measuredMb));
    else schedule();
  };
  const schedule = () => {
    const timer = timers.setTimeout(() => void check(), intervalMs);
    timer.unref();
    signal.addEventListener('abort', () => timers.clearTimeout(timer), { once: true });
  };
  schedule();
}
