import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventDraft, NewEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Attempt, SafePoint } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf, AttemptOutcome } from '@pilothouse/contract/worker/from-worker.messages';

/** Maximum events and bytes of one `append`; a single event may be larger. */
const MAX_BATCH_EVENTS = 500;
const MAX_BATCH_BYTES = 1024 * 1024;

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
  readonly sequence: number;
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
  private sentCount = 0;
  private lastSequence: number;
  private outcome: AttemptOutcome | undefined;
  private hasSentOutcome = false;
  private failure: PilothouseError | undefined;

  /** @param lastSequence durable events of the attempt */
  constructor(attempt: Attempt, lastSequence = 0) {
    this.attempt = attempt;
    this.lastSequence = lastSequence;
  }

  /** True if a sent event is not acknowledged yet. */
  get hasUnacked(): boolean {
    return this.sentCount > 0 || this.hasSentOutcome;
  }

  /** True if the outcome was sent on this connection. */
  get isOutcomeSent(): boolean {
    return this.hasSentOutcome;
  }

  /**
   * Numbers and queues events, and finally the outcome.
   * @param attachment attached to the last of the events; without events a safe point is dropped, and a question is refused
   * @returns when all are durable
   * @throws PilothouseError LEASE_LOST when the attempt lost its run, PAYLOAD_TOO_LARGE (nothing was queued)
   */
  append(drafts: readonly EventDraft[], outcome?: AttemptOutcome, attachment: EventAttachment = {}): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.outcome)
      return Promise.reject(new PilothouseError('INTERNAL', 'An attempt cannot append events after its outcome'));
    // The question would never be sent, and its caller would wait forever.
    if (attachment.question && drafts.length === 0)
      return Promise.reject(new PilothouseError('INTERNAL', 'A question must be attached to an event'));
    const sized = drafts.map((draft, index) => {
      const event = { ...draft, sequence: this.lastSequence + 1 + index };
      return { event, bytes: sizeOf(event) };
    });
    const attachmentBytes = attachment.safePoint || attachment.question ? sizeOf(attachment) : 0;
    const largest = Math.max(attachmentBytes, outcome ? sizeOf(outcome) : 0, ...sized.map(({ bytes }) => bytes));
    if (largest > MAX_EVENT_BYTES) return Promise.reject(tooLarge(largest));
    this.lastSequence += drafts.length;
    const last = sized.pop();
    this.entries.push(...sized);
    if (last) this.entries.push({ ...last, bytes: last.bytes + attachmentBytes, ...attachment });
    this.outcome = outcome;
    if (drafts.length === 0 && !outcome) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiters.add({ sequence: outcome ? Infinity : this.lastSequence, resolve, reject });
    });
  }

  /** Returns the next message and marks it as sent. @param windowSize maximum unacknowledged events */
  nextBatch(windowSize: number): FromWorkerOf<'append'> | undefined {
    const maxEvents = Math.min(MAX_BATCH_EVENTS, windowSize - this.sentCount);
    const batch: NewEvent[] = [];
    const attachment: { safePoint?: SafePoint; question?: RunQuestion } = {};
    let bytes = 0;
    for (const entry of this.entries.slice(this.sentCount, this.sentCount + Math.max(0, maxEvents))) {
      if (batch.length > 0 && bytes + entry.bytes > MAX_BATCH_BYTES) break;
      // Of two safe points in one batch the later one wins, unless it only advances the earlier one.
      if (attachment.safePoint?.state !== undefined && entry.safePoint && entry.safePoint.state === undefined) break;
      batch.push(entry.event);
      bytes += entry.bytes;
      if (entry.safePoint) attachment.safePoint = entry.safePoint;
      if (!entry.question) continue;
      attachment.question = entry.question;
      break;
    }
    this.sentCount += batch.length;
    const outcome = this.sentCount === this.entries.length && !this.hasSentOutcome ? this.outcome : undefined;
    if (batch.length === 0 && !outcome) return undefined;
    if (outcome) this.hasSentOutcome = true;
    return { type: 'append', ...this.attempt, events: batch, ...attachment, ...(outcome && { outcome }) };
  }

  /** Acknowledges events up to `n`. @param isFinal true: the outcome, too */
  onAck(sequence: number, isFinal: boolean): void {
    const firstUnacked = this.entries.findIndex(({ event }) => event.sequence > sequence);
    const ackedCount = firstUnacked === -1 ? this.entries.length : firstUnacked;
    this.entries.splice(0, ackedCount);
    this.sentCount = Math.max(0, this.sentCount - ackedCount);
    for (const waiter of [...this.waiters]) {
      if (!isFinal && waiter.sequence > sequence) continue;
      this.waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Called on a new connection: drops durable events and marks the others as unsent. */
  rewind(sequence: number): void {
    this.onAck(sequence, false);
    this.sentCount = 0;
    this.hasSentOutcome = false;
  }

  /** Rejects everything: nothing of this attempt will be written any more. */
  fail(reason: PilothouseError): void {
    this.failure ??= reason;
    this.entries.length = 0;
    this.sentCount = 0;
    for (const waiter of this.waiters) waiter.reject(this.failure);
    this.waiters.clear();
  }
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const tooLarge = (bytes: number) =>
  new PilothouseError('PAYLOAD_TOO_LARGE', `The event has ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed`, {
    details: { bytes, limit: MAX_EVENT_BYTES },
  });
