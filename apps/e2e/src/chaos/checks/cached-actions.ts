import type { EventFacts, RememberedFacts } from './stored-run.ts';
import { eachRun, ON_ITS_WAY_MS, terminal, type Invariant } from './common-checks.ts';

/** What agents remember of a run. */
export const memories = {
  'what an agent did is remembered whole': eachRun((run, events, _, { remembered }) => {
    const first = firstAtIt(events);
    const thoughts = events.filter(({ type, epoch }) => type === 'agent.turn' && epoch === first).length;
    return of(run.id, remembered).flatMap(({ turns, ends }) =>
      turns >= thoughts && ends === 1 ? [] : [`${turns} of ${thoughts} turns are remembered, ${ends} of them its end`],
    );
  }),
  // Who takes a goal over that was begun goes on without a memory: all that is kept is of the first.
  'nothing is remembered of an attempt that was over': eachRun((run, events, _, { remembered }) => {
    const first = firstAtIt(events);
    const over = events.find(({ type, epoch }) => type in terminal || (type === 'run.assigned' && epoch > first));
    const from = (over?.durableAt ?? Infinity) + ON_ITS_WAY_MS;
    return of(run.id, remembered)
      .filter(({ at }) => at > from)
      .map(
        ({ at }) => `something was kept ${Math.round(at - from + ON_ITS_WAY_MS)} ms after attempt ${first} was over`,
      );
  }),
} satisfies Record<string, Invariant>;

const of = (run: string, remembered: readonly RememberedFacts[]) => remembered.filter((one) => one.run === run);

/** The attempt that was the first to work for a goal; Infinity: none. */
const firstAtIt = (events: readonly EventFacts[]): number =>
  Math.min(...events.filter(({ type }) => type === 'agent.turn').map(({ epoch }) => epoch));
