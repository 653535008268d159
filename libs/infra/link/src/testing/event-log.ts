import type { Attempt, FromWorkerOf, NewEvent, Outcome } from '@pilothouse/contract';

export const keyOf = ({ run, epoch }: Attempt) => `${run}/${epoch}`;

/** What a scripted gateway has made durable: each event once, however often it came. */
export class EventLog {
  private readonly events = new Map<string, NewEvent[]>();
  private readonly outcomes = new Map<string, Outcome>();
  /** Events that came although a number before them had not. */
  readonly gaps: string[] = [];
  /** Events that came again. */
  doubled = 0;

  write(message: FromWorkerOf<'append'>): { n: number; ended: boolean } {
    const key = keyOf(message);
    const known = this.events.get(key) ?? [];
    for (const event of message.events) {
      if (event.n <= known.length) this.doubled += 1;
      else if (event.n === known.length + 1) known.push(event);
      else this.gaps.push(`${key} ${known.length} → ${event.n}`);
    }
    this.events.set(key, known);
    if (message.outcome && !this.outcomes.has(key)) this.outcomes.set(key, message.outcome);
    return { n: known.length, ended: this.outcomes.has(key) };
  }

  of(attempt: Attempt): readonly NewEvent[] {
    return this.events.get(keyOf(attempt)) ?? [];
  }

  outcome(attempt: Attempt): Outcome | undefined {
    return this.outcomes.get(keyOf(attempt));
  }
}
