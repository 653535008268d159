import { isTerminal, runStatuses, type RunStatus } from '@pilothouse/contract';
import type { CaseFacts, EventFacts, RunFacts, TraceFacts } from './stored-run.ts';

/** What must be true of every case, whatever broke. Each gives a sentence for each time it is not so. */
export type Invariant = (facts: CaseFacts, index: Index) => string[];

/** Milliseconds by which two clocks of one machine may differ when one of them counts whole ones. */
export const ROUNDING_MS = 1;

/** Milliseconds from the sending of what a worker sent while the run was still its own: longer than any was seen to take, on a busy machine. */
export const IN_TRANSIT_MS = 100;

/** Status of a run by its last event. */
export const terminal: Readonly<Record<string, string>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
};

export const isEnded = ({ status }: RunFacts) =>
  runStatuses.includes(status as RunStatus) && isTerminal(status as RunStatus);

/** Facts by run. */
export class Index {
  private readonly events: Map<string, EventFacts[]>;
  private readonly traces: Map<string, TraceFacts[]>;

  constructor({ events, traces }: CaseFacts) {
    this.events = Map.groupBy(
      events.toSorted((a, b) => a.seq - b.seq),
      ({ run }) => run,
    );
    this.traces = Map.groupBy(traces, ({ run }) => run);
  }

  eventsOf({ id }: RunFacts): readonly EventFacts[] {
    return this.events.get(id) ?? [];
  }

  tracesOf({ id }: RunFacts): readonly TraceFacts[] {
    return this.traces.get(id) ?? [];
  }
}

/** An invariant of each run by itself. */
export const eachRun =
  (look: (run: RunFacts, events: readonly EventFacts[], traces: readonly TraceFacts[], facts: CaseFacts) => string[]) =>
  (facts: CaseFacts, index: Index) =>
    facts.runs.flatMap((run) =>
      look(run, index.eventsOf(run), index.tracesOf(run), facts).map((sentence) => `${run.id}: ${sentence}`),
    );

/** Number of the step that an event is about. */
export const stepOf = ({ data }: EventFacts) => Number(data['step']);
