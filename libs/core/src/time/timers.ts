/** One pending timer or interval. */
export interface Timer {
  /** The process may end while the timer is pending. */
  unref(): Timer;
  /** Restarts the timer. */
  refresh(): Timer;
}

/** The timers of a process. They are injected with the clock, so that a spec can advance time. */
export interface Timers {
  /** Milliseconds of a monotonic clock, the same as `Clock.monotonic()`. */
  monotonic(): number;
  /** Calls back once after `ms`. */
  setTimeout(callback: () => void, ms: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
  /** Calls back every `ms`. */
  setInterval(callback: () => void, ms: number): Timer;
  clearInterval(timer: Timer | undefined): void;
  /** Resolves after `ms`. @throws the reason of the signal, at once, when it aborts */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay that Node accepts; it fires a longer one immediately. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The timers of the machine. */
export const systemTimers: Timers = {
  monotonic: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, Math.min(ms, MAX_DELAY_MS)),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
  setInterval: (callback, ms) => setInterval(callback, Math.min(ms, MAX_DELAY_MS)),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout | undefined),
  delay: (ms, signal) => delayBy(systemTimers, ms, signal),
};

/** Implements `Timers.delay` with the other functions of the timers. */
export function delayBy(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      timers.clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = timers.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits; ends early and without an error when the signal aborts. */
export const sleep = (ms: number, signal: AbortSignal, timers: Timers = systemTimers): Promise<void> =>
  timers.delay(ms, signal).catch(() => undefined);

/** A wait that can be cut short. A call of `wake` between two waits is not lost. */
export class WakeableTimer {
  #awake = new AbortController();
  readonly #timers: Timers;

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
  }

  wake(): void {
    this.#awake.abort();
  }

  /** Returns after `ms`, at `wake`, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, AbortSignal.any([signal, this.#awake.signal]), this.#timers);
    if (this.#awake.signal.aborted) this.#awake = new AbortController();
  }
}
