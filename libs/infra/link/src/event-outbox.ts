import {
  PilothouseError,
  type Attempt,
  type EventDraft,
  type FromWorkerOf,
  type NewEvent,
  type AttemptOutcome,
  type RunQuestion,
  type SafePoint,
} from '@pilothouse/contract';

/** Maximum events and bytes of one `append`; a single event may be larger. */
const MOST_EVENTS = 500;
const MOST_BYTES = 1024 * 1024;

/** Largest event, and largest outcome, in bytes of JSON: both together fit into one message. */
export const MAX_EVENT_BYTES = 1_500_000;

/** Attachment of the last of some events. */
export interface EventAttachment {
  readonly safePoint?: SafePoint;
  readonly question?: RunQuestion;
}

interface Entry extends EventAttachment {
  readonly event: NewEvent;
  readonly bytes: number;
}

interface Waiter {
  /** Event number that must be durable; Infinity: the outcome. */
  readonly n: number;
  resolve(): void;
  reject(reason: unknown): void;
}

/**
 * Unacknowledged events of one attempt. Numbers them on entry, stores them until they are acknowledged, and sends them again after a lost
 * connection. Queued events are sent in batches.
 */
export class EventOutbox {
  private readonly attempt: Attempt;
  private readonly entries: Entry[] = [];
  private readonly waiters = new Set<Waiter>();
  /** Number of `entries` that were sent on this connection. */
  private sent = 0;
  private lastN: number;
  private outcome: AttemptOutcome | undefined;
  private outcomeSent = false;
  private failure: PilothouseError | undefined;

  /** @param lastN durable events of the attempt */
  constructor(attempt: Attempt, lastN = 0) {
    this.attempt = attempt;
    this.lastN = lastN;
  }

  /** True if a sent event is not acknowledged yet. */
  get hasUnacked(): boolean {
    return this.sent > 0 || this.outcomeSent;
  }

  /** True if the outcome was sent on this connection. */
  get isOutcomeSent(): boolean {
    return this.outcomeSent;
  }

  /**
   * Numbers and queues events, and finally the outcome.
   * @param rider attached to the last of the events; without events a safe point is dropped, and a question is refused
   * @returns when all are durable
   * @throws PilothouseError LEASE_LOST when the attempt lost its run, PAYLOAD_TOO_LARGE (nothing was queued)
   */
  append(drafts: readonly EventDraft[], outcome?: AttemptOutcome, rider: EventAttachment = {}): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.outcome)
      return Promise.reject(new PilothouseError('INTERNAL', 'An attempt has nothing to say after its outcome'));
    // The question would never be sent, and its caller would wait forever.
    if (rider.question && drafts.length === 0)
      return Promise.reject(new PilothouseError('INTERNAL', 'A question rides with an event, and there is none'));
    const sized = drafts.map((draft, index) => {
      const event = { ...draft, sequence: this.lastN + 1 + index };
      return { event, bytes: sizeOf(event) };
    });
    const riderBytes = rider.safePoint || rider.question ? sizeOf(rider) : 0;
    const largest = Math.max(riderBytes, outcome ? sizeOf(outcome) : 0, ...sized.map(({ bytes }) => bytes));
    if (largest > MAX_EVENT_BYTES) return Promise.reject(tooLarge(largest));
    this.lastN += drafts.length;
    const last = sized.pop();
    this.entries.push(...sized);
    if (last) this.entries.push({ ...last, bytes: last.bytes + riderBytes, ...rider });
    this.outcome = outcome;
    if (drafts.length === 0 && !outcome) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiters.add({ n: outcome ? Infinity : this.lastN, resolve, reject });
    });
  }

  /** Returns the next message and marks it as sent. @param window maximum unacknowledged events */
  nextBatch(window: number): FromWorkerOf<'append'> | undefined {
    const room = Math.min(MOST_EVENTS, window - this.sent);
    const batch: NewEvent[] = [];
    const rider: { safePoint?: SafePoint; question?: RunQuestion } = {};
    let bytes = 0;
    for (const entry of this.entries.slice(this.sent, this.sent + Math.max(0, room))) {
      if (batch.length > 0 && bytes + entry.bytes > MOST_BYTES) break;
      // Of two safe points in one batch the later one wins, unless it only advances the earlier one.
      if (rider.safePoint?.state !== undefined && entry.safePoint && entry.safePoint.state === undefined) break;
      batch.push(entry.event);
      bytes += entry.bytes;
      if (entry.safePoint) rider.safePoint = entry.safePoint;
      if (!entry.question) continue;
      rider.question = entry.question;
      break;
    }
    this.sent += batch.length;
    const outcome = this.sent === this.entries.length && !this.outcomeSent ? this.outcome : undefined;
    if (batch.length === 0 && !outcome) return undefined;
    if (outcome) this.outcomeSent = true;
    return { type: 'append', ...this.attempt, events: batch, ...rider, ...(outcome && { outcome }) };
  }

  /** Acknowledges events up to `n`. @param ended true: the outcome, too */
  onAck(n: number, ended: boolean): void {
    const kept = this.entries.findIndex(({ event }) => event.sequence > n);
    const gone = kept === -1 ? this.entries.length : kept;
    this.entries.splice(0, gone);
    this.sent = Math.max(0, this.sent - gone);
    for (const waiter of [...this.waiters]) {
      if (!ended && waiter.n > n) continue;
      this.waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Called on a new connection: drops durable events and marks the others as unsent. */
  rewind(n: number): void {
    this.onAck(n, false);
    this.sent = 0;
    this.outcomeSent = false;
  }

  /** Rejects everything: nothing of this attempt will be written any more. */
  fail(reason: PilothouseError): void {
    this.failure ??= reason;
    this.entries.length = 0;
    this.sent = 0;
    for (const waiter of this.waiters) waiter.reject(this.failure);
    this.waiters.clear();
  }
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const tooLarge = (bytes: number) =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `${bytes} bytes are too many for one event; at most ${MAX_EVENT_BYTES} fit`,
    {
      details: { bytes, limit: MAX_EVENT_BYTES },
    },
  );
