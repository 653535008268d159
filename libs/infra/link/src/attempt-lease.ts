import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { type Timer, systemTimers } from '@pilothouse/core/time/timers';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

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
export function elapsedSince(start: ClockSample, clock: Clock): number {
  const now = sampleClock(clock);
  return Math.max(now.monotonic - start.monotonic, now.wall - start.wall);
}

export interface AttemptLeaseOptions {
  readonly clock: Clock;
  /** Milliseconds without a renewal after which the attempt is abandoned. */
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
  private readonly endController = new AbortController();
  private readonly waiters = new Set<() => void>();
  /** Aborts when the lease lapses; undefined while it is not held. */
  private period: AbortController | undefined;
  private renewal: { sentAt: ClockSample; leaseMs: number } | undefined;
  private lapseTimer: Timer | undefined;
  private limitTimer: Timer | undefined;

  constructor({ clock, limitMs }: AttemptLeaseOptions) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.startLimitTimer();
  }

  /** Aborts when the attempt must stop permanently: `LEASE_LOST` or `RUN_CANCELLED`. */
  get endSignal(): AbortSignal {
    return this.endController.signal;
  }

  /** True while the lease is held, by the clocks. */
  isHeld(): boolean {
    if (this.endController.signal.aborted) return false;
    if (this.remainingMs() > 0) return true;
    this.onLapse();
    return false;
  }

  /** Checks the clocks. @throws PilothouseError LEASE_LOST when the lease is not held, or the reason for which it ended */
  assertHeld(): void {
    this.endController.signal.throwIfAborted();
    if (!this.isHeld()) throw lapsedError();
  }

  /**
   * Waits until the lease is held.
   * @returns a signal that aborts when the lease lapses or ends
   * @throws the reason of the signal, or for which the lease ended
   */
  async waitUntilHeld(signal: AbortSignal): Promise<AbortSignal> {
    while (!this.isHeld() || !this.period) {
      this.endController.signal.throwIfAborted();
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waiters.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.waiters.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
    return this.period.signal;
  }

  /** Called after an acknowledgement: the lease holds for its duration from the given send time. */
  onRenewed(sentAt: ClockSample, leaseMs: number): void {
    if (this.endController.signal.aborted) return;
    if (this.renewal && sentAt.monotonic < this.renewal.sentAt.monotonic) return;
    this.renewal = { sentAt, leaseMs };
    if (!this.isHeld()) return;
    this.period ??= new AbortController();
    systemTimers.clearTimeout(this.limitTimer);
    this.limitTimer = undefined;
    this.startLapseTimer();
    this.wakeAll();
  }

  /** Stops the attempt permanently. The first reason wins. */
  end(reason: PilothouseError): void {
    if (this.endController.signal.aborted) return;
    systemTimers.clearTimeout(this.lapseTimer);
    systemTimers.clearTimeout(this.limitTimer);
    this.endController.abort(reason);
    this.period?.abort(reason);
    this.period = undefined;
    this.wakeAll();
  }

  /** Stops the timers of an ended attempt. */
  close(): void {
    systemTimers.clearTimeout(this.lapseTimer);
    systemTimers.clearTimeout(this.limitTimer);
  }

  private remainingMs(): number {
    if (!this.renewal) return 0;
    return this.renewal.leaseMs - elapsedSince(this.renewal.sentAt, this.clock);
  }

  private startLapseTimer(): void {
    systemTimers.clearTimeout(this.lapseTimer);
    this.lapseTimer = systemTimers.setTimeout(() => {
      if (this.isHeld()) this.startLapseTimer();
    }, Math.ceil(this.remainingMs()));
  }

  private onLapse(): void {
    if (!this.period) return;
    systemTimers.clearTimeout(this.lapseTimer);
    this.period.abort(lapsedError());
    this.period = undefined;
    this.startLimitTimer();
  }

  private startLimitTimer(): void {
    this.limitTimer ??= systemTimers.setTimeout(() => {
      const seconds = Math.round(this.limitMs / 1000);
      this.end(new PilothouseError('LEASE_LOST', `Lease not renewed for ${seconds} s`));
    }, this.limitMs);
  }

  private wakeAll(): void {
    for (const wake of [...this.waiters]) wake();
  }
}

const lapsedError = () => new PilothouseError('LEASE_LOST', 'The lease expired before its renewal');
