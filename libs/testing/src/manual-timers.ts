import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { delayBy, type Timer, type Timers } from '@pilothouse/core/time/timers';

interface PendingTimer extends Timer {
  dueAt: number;
  readonly everyMs?: number;
  readonly callback: () => void;
}

/** Timers and a clock that only advance on request. */
export class ManualTimers implements Timers, Clock {
  private time = 0;
  private readonly pending = new Set<PendingTimer>();
  private readonly start: number;

  /** @param start the instant of `now()` at the beginning */
  constructor(start = new Date('2026-01-01T00:00:00Z')) {
    this.start = start.getTime();
  }

  monotonic(): number {
    return this.time;
  }

  now(): Date {
    return new Date(this.start + this.time);
  }

  /** Milliseconds until each pending timer is due, the next one first. */
  get delays(): number[] {
    return [...this.pending].map(({ dueAt }) => dueAt - this.time).sort((a, b) => a - b);
  }

  setTimeout(callback: () => void, ms: number): Timer {
    return this.add(callback, ms);
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer) this.pending.delete(timer as PendingTimer);
  }

  setInterval(callback: () => void, ms: number): Timer {
    return this.add(callback, ms, ms);
  }

  clearInterval(timer: Timer | undefined): void {
    this.clearTimeout(timer);
  }

  delay(ms: number, signal?: AbortSignal): Promise<void> {
    return delayBy(this, ms, signal);
  }

  /** Advances time; fires what is due in order, and lets promises settle after each timer. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (;;) {
      const next = [...this.pending].sort((a, b) => a.dueAt - b.dueAt)[0];
      if (!next || next.dueAt > end) break;
      this.time = Math.max(this.time, next.dueAt);
      if (next.everyMs === undefined) this.pending.delete(next);
      else next.dueAt += Math.max(next.everyMs, 1);
      next.callback();
      await settle();
    }
    this.time = end;
  }

  private add(callback: () => void, ms: number, everyMs?: number): Timer {
    const timer: PendingTimer = {
      callback,
      dueAt: this.time + Math.max(ms, 0),
      ...(everyMs !== undefined && { everyMs }),
      unref: () => timer,
      refresh: () => {
        timer.dueAt = this.time + Math.max(ms, 0);
        this.pending.add(timer);
        return timer;
      },
    };
    this.pending.add(timer);
    return timer;
  }
}

/** Lets pending promises run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
