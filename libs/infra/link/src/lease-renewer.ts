import type { Attempt, FromWorkerOf } from '@pilothouse/contract';
import { systemTimers, type Timer } from '@pilothouse/core';
import type { ClockSample } from './attempt-lease.ts';

/** Renewals that are remembered while their answers are out. */
const MOST_OPEN = 100;

/** Renewals of which is known when they were sent: an assignment names the last one before its claim. */
const REMEMBERED = 20;

interface Renewal {
  readonly sent: ClockSample;
  readonly asked: readonly Attempt[];
}

export interface LeaseRenewerOptions {
  read(): ClockSample;
  held(): Attempt[];
  send(message: FromWorkerOf<'renew'>): void;
}

/** The heartbeat of the leases: one message renews all, and is remembered with the time of its sending until it is answered. */
export class LeaseRenewer {
  private readonly options: LeaseRenewerOptions;
  private readonly open = new Map<number, Renewal>();
  /** When the last renewals of this connection were sent, by their names. */
  private readonly readings = new Map<number, ClockSample>();
  private lastSentAt = 0;
  private timer: Timer | undefined;
  private isDue = false;
  /** Somebody asked while a renewal was out. */
  private isAskedAgain = false;

  constructor(options: LeaseRenewerOptions) {
    this.options = options;
  }

  /** Renews now and from now on, until `stop`. */
  start(everyMs: number): void {
    this.stop();
    this.renew();
    this.timer = systemTimers.setInterval(() => this.renew(), everyMs);
  }

  stop(): void {
    systemTimers.clearInterval(this.timer);
    this.timer = undefined;
    this.open.clear();
    this.readings.clear();
    this.isAskedAgain = false;
  }

  /** When a renewal of this connection was sent, answered or not; undefined when it is too long ago. */
  sampleOf(sentAt: number): ClockSample | undefined {
    return this.readings.get(sentAt);
  }

  /** Renews once more, out of turn: one at a time, for each asks for all leases. */
  renewNow(): void {
    if (this.open.size > 0) this.isAskedAgain = true;
    if (this.isDue || this.isAskedAgain) return;
    this.isDue = true;
    queueMicrotask(() => {
      this.isDue = false;
      if (this.timer) this.renew();
    });
  }

  /** What was asked, and when, by the answer's `sentAt`; older ones are forgotten. */
  onAck(sentAt: number): Renewal | undefined {
    const renewal = this.open.get(sentAt);
    if (!renewal) return undefined;
    for (const key of [...this.open.keys()]) if (key <= sentAt) this.open.delete(key);
    if (this.isAskedAgain && this.open.size === 0) {
      this.isAskedAgain = false;
      this.renewNow();
    }
    return renewal;
  }

  private renew(): void {
    const sent = this.options.read();
    const asked = this.options.held();
    // Two in one tick still need two names.
    const sentAt = Math.max(sent.monotonic, this.lastSentAt + 0.001);
    this.lastSentAt = sentAt;
    this.open.set(sentAt, { sent, asked });
    this.readings.set(sentAt, sent);
    const [first] = this.readings.keys();
    if (this.readings.size > REMEMBERED && first !== undefined) this.readings.delete(first);
    const oldest = this.open.keys().next();
    if (this.open.size > MOST_OPEN && !oldest.done) this.open.delete(oldest.value);
    this.options.send({ type: 'renew', sentAt, attempts: asked });
  }
}
