import { type Clock, type Timer, systemTimers } from '@pilothouse/core';
import { PilothouseError } from '@pilothouse/contract';

/** Both clocks at one instant, in milliseconds. */
export interface ClockSample {
  readonly monotonic: number;
  readonly wall: number;
}

export const sampleClock = (clock: Clock): ClockSample => ({
  monotonic: clock.monotonic(),
  wall: clock.now().getTime(),
});

/**
 * Milliseconds since a reading, by the clock that advanced more. The monotonic clock stops while a machine sleeps; the wall clock may be
 * set back.
 */
export function elapsedSince(then: ClockSample, clock: Clock): number {
  const now = sampleClock(clock);
  return Math.max(now.monotonic - then.monotonic, now.wall - then.wall);
}

export interface AttemptLeaseOptions {
  readonly clock: Clock;
  /** Milliseconds without a renewal after which the attempt is given up. */
  readonly limitMs: number;
}

/**
 * The right of a worker to act for one attempt, by the worker's own clocks. It is held while the last acknowledged renewal was *sent* less
 * than the lease time ago. After that it lapses: the worker may not act, but closes nothing, and the next acknowledged renewal restores it.
 * It ends permanently when the gateway reports the attempt as lost or cancelled, or after the limit.
 */
export class AttemptLease {
  private readonly clock: Clock;
  private readonly limitMs: number;
  private readonly over = new AbortController();
  private readonly waiting = new Set<() => void>();
  /** Aborts when the lease lapses; undefined while it is not held. */
  private period: AbortController | undefined;
  private renewal: { sent: ClockSample; leaseMs: number } | undefined;
  private lapse: Timer | undefined;
  private limit: Timer | undefined;

  constructor({ clock, limitMs }: AttemptLeaseOptions) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.giveUpLater();
  }

  /** Aborts when the attempt must stop permanently: `LEASE_LOST` or `RUN_CANCELLED`. */
  get endSignal(): AbortSignal {
    return this.over.signal;
  }

  /** True while the lease is held, by the clocks. */
  isHeld(): boolean {
    if (this.over.signal.aborted) return false;
    if (this.remainingMs() > 0) return true;
    this.lapseNow();
    return false;
  }

  /** Checks the clocks. @throws PilothouseError LEASE_LOST when the lease is not held, or the reason for which it ended */
  assertHeld(): void {
    this.over.signal.throwIfAborted();
    if (!this.isHeld()) throw lapsed();
  }

  /**
   * Waits until the lease is held.
   * @returns a signal that aborts when the lease lapses or ends
   * @throws the reason of the signal, or for which the lease ended
   */
  async waitUntilHeld(signal: AbortSignal): Promise<AbortSignal> {
    while (!this.isHeld() || !this.period) {
      this.over.signal.throwIfAborted();
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
    return this.period.signal;
  }

  /** Called after an acknowledgement: the lease holds for its duration from the given send time. */
  onRenewed(sent: ClockSample, leaseMs: number): void {
    if (this.over.signal.aborted) return;
    if (this.renewal && sent.monotonic < this.renewal.sent.monotonic) return;
    this.renewal = { sent, leaseMs };
    if (!this.isHeld()) return;
    this.period ??= new AbortController();
    systemTimers.clearTimeout(this.limit);
    this.limit = undefined;
    this.lapseLater();
    this.wakeAll();
  }

  /** Stops the attempt permanently. The first reason wins. */
  end(reason: PilothouseError): void {
    if (this.over.signal.aborted) return;
    systemTimers.clearTimeout(this.lapse);
    systemTimers.clearTimeout(this.limit);
    this.over.abort(reason);
    this.period?.abort(reason);
    this.period = undefined;
    this.wakeAll();
  }

  /** Stops the timers of an ended attempt. */
  close(): void {
    systemTimers.clearTimeout(this.lapse);
    systemTimers.clearTimeout(this.limit);
  }

  private remainingMs(): number {
    if (!this.renewal) return 0;
    return this.renewal.leaseMs - elapsedSince(this.renewal.sent, this.clock);
  }

  private lapseLater(): void {
    systemTimers.clearTimeout(this.lapse);
    this.lapse = systemTimers.setTimeout(() => {
      if (this.isHeld()) this.lapseLater();
    }, Math.ceil(this.remainingMs()));
  }

  private lapseNow(): void {
    if (!this.period) return;
    systemTimers.clearTimeout(this.lapse);
    this.period.abort(lapsed());
    this.period = undefined;
    this.giveUpLater();
  }

  private giveUpLater(): void {
    this.limit ??= systemTimers.setTimeout(() => {
      const seconds = Math.round(this.limitMs / 1000);
      this.end(new PilothouseError('LEASE_LOST', `The lease was not renewed for ${seconds} s`));
    }, this.limitMs);
  }

  private wakeAll(): void {
    for (const wake of [...this.waiting]) wake();
  }
}

const lapsed = () => new PilothouseError('LEASE_LOST', 'The lease ran out before it was renewed');
