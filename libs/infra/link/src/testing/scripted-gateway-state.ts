import type { NewEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { AttemptOutcome, FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';

export const attemptKey = ({ run, epoch }: Attempt) => `${run}/${epoch}`;

/** Durable state of a scripted gateway: each event once, however often it was sent. */
export class DurableEventLog {
  private readonly events = new Map<string, NewEvent[]>();
  private readonly outcomes = new Map<string, AttemptOutcome>();
  /** Events that arrived before an earlier number. */
  readonly gaps: string[] = [];
  /** Events that arrived again. */
  duplicateCount = 0;

  write(message: FromWorkerOf<'append'>): { sequence: number; isFinal: boolean } {
    const key = attemptKey(message);
    const writtenEvents = this.events.get(key) ?? [];
    for (const event of message.events) {
      if (event.sequence <= writtenEvents.length) this.duplicateCount += 1;
      else if (event.sequence === writtenEvents.length + 1) writtenEvents.push(event);
      else this.gaps.push(`${key} ${writtenEvents.length} → ${event.sequence}`);
    }
    this.events.set(key, writtenEvents);
    if (message.outcome && !this.outcomes.has(key)) this.outcomes.set(key, message.outcome);
    return { sequence: writtenEvents.length, isFinal: this.outcomes.has(key) };
  }

  of(attempt: Attempt): readonly NewEvent[] {
    return this.events.get(attemptKey(attempt)) ?? [];
  }

  outcome(attempt: Attempt): AttemptOutcome | undefined {
    return this.outcomes.get(attemptKey(attempt));
  }
}

/** Settings of a spec before the worker connects. */
export interface GatewayScript {
  leaseMs: number;
  renewMs: number;
  maxUnackedEvents: number;
  slots: number;
  /** Milliseconds between two metric reports; undefined: none. */
  metricsMs?: number;
  /** HTTP status that refuses every connection. */
  refusalStatus?: number;
}

export const attemptOf = ({ run, epoch }: Attempt): Attempt => ({ run, epoch });

/** Informs a worker that an attempt no longer holds its run. */
export const attemptLost = (message: Attempt): ToWorkerOf<'attempt.lost'> => ({
  type: 'attempt.lost',
  ...attemptOf(message),
  error: { code: 'LEASE_LOST', message: 'Another attempt holds the run', retry: 'no' },
});
