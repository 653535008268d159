import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import type { ClockSample } from './attempt-lease.ts';

/** Renewals without an acknowledgement that are stored. */
const MAX_PENDING = 100;

/** Clock samples that are stored: an assignment names the last renewal before its claim. */
const MAX_SAMPLES = 20;

interface Renewal {
  readonly sample: ClockSample;
  readonly attempts: readonly Attempt[];
}

export interface LeaseRenewerOptions {
  sampleClock(): ClockSample;
  entry(): Attempt[];
  send(message: FromWorkerOf<'renew'>): void;
}

/** Renews all leases with one periodic message. Stores when each was sent until it is acknowledged. */
export class LeaseRenewer {
  private readonly options: LeaseRenewerOptions;
  private readonly pending = new Map<number, Renewal>();
  /** Clock samples of the last renewals of this connection, by `sentAt`. */
  private readonly samples = new Map<number, ClockSample>();
  private lastSentAt = 0;
  private timer: Timer | undefined;
  private isScheduled = false;
  /** Another renewal was requested before the acknowledgement. */
  private isRenewalRequested = false;

  constructor(options: LeaseRenewerOptions) {
    this.options = options;
  }

  /** Renews now and every `everyMs`, until `stop`. */
  start(everyMs: number): void {
    this.stop();
    this.renew();
    this.timer = systemTimers.setInterval(() => this.renew(), everyMs);
  }

  stop(): void {
    systemTimers.clearInterval(this.timer);
    this.timer = undefined;
    this.pending.clear();
    this.samples.clear();
    this.isRenewalRequested = false;
  }

  /** When a renewal of this connection was sent; undefined: too long ago. */
  sampleOf(sentAt: number): ClockSample | undefined {
    return this.samples.get(sentAt);
  }

  /** Renews at once. One at a time, because each renews all leases. */
  renewNow(): void {
    if (this.pending.size > 0) this.isRenewalRequested = true;
    if (this.isScheduled || this.isRenewalRequested) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      if (this.timer) this.renew();
    });
  }

  /** Returns the acknowledged renewal, and drops older ones. */
  onAck(sentAt: number): Renewal | undefined {
    const renewal = this.pending.get(sentAt);
    if (!renewal) return undefined;
    for (const key of [...this.pending.keys()]) if (key <= sentAt) this.pending.delete(key);
    if (this.isRenewalRequested && this.pending.size === 0) {
      this.isRenewalRequested = false;
      this.renewNow();
    }
    return renewal;
  }

  private renew(): void {
    const sample = this.options.sampleClock();
    const attempts = this.options.entry();
    // `sentAt` identifies the renewal: two within one tick differ.
    const sentAt = Math.max(sample.monotonic, this.lastSentAt + 0.001);
    this.lastSentAt = sentAt;
    this.pending.set(sentAt, { sample, attempts });
    this.samples.set(sentAt, sample);
    const [first] = this.samples.keys();
    if (this.samples.size > MAX_SAMPLES && first !== undefined) this.samples.delete(first);
    const oldest = this.pending.keys().next();
    if (this.pending.size > MAX_PENDING && !oldest.done) this.pending.delete(oldest.value);
    this.options.send({ type: 'renew', sentAt, attempts });
  }
}
