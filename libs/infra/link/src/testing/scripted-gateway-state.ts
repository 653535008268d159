import type { Attempt, FromWorkerOf, NewEvent, AttemptOutcome } from '@pilothouse/contract';

export const attemptKey = ({ run, epoch }: Attempt) => `${run}/${epoch}`;

/** Durable state of a scripted gateway: each event once, however often it was sent. */
export class DurableEventLog {
  private readonly events = new Map<string, NewEvent[]>();
  private readonly outcomes = new Map<string, AttemptOutcome>();
  /** Events that arrived before an earlier number. */
  readonly gaps: string[] = [];
  /** Events that arrived again. */
  doubled = 0;

  write(message: FromWorkerOf<'append'>): { sequence: number; isFinal: boolean } {
    const key = attemptKey(message);
    const known = this.events.get(key) ?? [];
    for (const event of message.events) {
      if (event.sequence <= known.length) this.doubled += 1;
      else if (event.sequence === known.length + 1) known.push(event);
      else this.gaps.push(`${key} ${known.length} → ${event.sequence}`);
    }
    this.events.set(key, known);
    if (message.outcome && !this.outcomes.has(key)) this.outcomes.set(key, message.outcome);
    return { sequence: known.length, isFinal: this.outcomes.has(key) };
  }

  of(attempt: Attempt): readonly NewEvent[] {
    return this.events.get(attemptKey(attempt)) ?? [];
  }

  outcome(attempt: Attempt): AttemptOutcome | undefined {
    return this.outcomes.get(attemptKey(attempt));
  }
}
