import { isTerminal, runStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import type { CaseFacts, EventFacts, RunFacts, TraceFacts } from './stored-run.ts';

/** Invariants of every case. Each returns one sentence per violation. */
export type Invariant = (facts: CaseFacts, index: Index) => string[];

/** Maximum difference in milliseconds between two clocks of one machine when one counts whole milliseconds. */
export const ROUNDING_MS = 1;

/**
 * Maximum milliseconds in flight of data that a worker sent while it owned the run. Above any observed value on a busy
 * machine.
 */
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

/** Creates an invariant that checks each run separately. */
export const eachRun =
  (
    check: (run: RunFacts, events: readonly EventFacts[], traces: readonly TraceFacts[], facts: CaseFacts) => string[],
  ) =>
  (facts: CaseFacts, index: Index) =>
    facts.runs.flatMap((run) =>
      check(run, index.eventsOf(run), index.tracesOf(run), facts).map((sentence) => `${run.id}: ${sentence}`),
    );

/** Step number of an event. */
export const stepOf = ({ data }: EventFacts) => Number(data['step']);
