import type { EventFacts, CachedActionFacts } from './stored-run.ts';
import { eachRun, IN_TRANSIT_MS, terminal, type Invariant } from './common-checks.ts';

export const cachedActionInvariants = {
  'actions of an agent are cached completely': eachRun((run, events, _, { cachedActions }) => {
    const first = firstAgentAttempt(events);
    const thoughts = events.filter(({ type, epoch }) => type === 'agent.turn' && epoch === first).length;
    return actionsOf(run.id, cachedActions).flatMap(({ turns, ends }) =>
      turns >= thoughts && ends === 1 ? [] : [`${turns} of ${thoughts} turns are cached, ${ends} of them the end`],
    );
  }),
  // A recovered attempt works without cached actions, so only the first attempt writes to the cache.
  'an ended attempt caches nothing': eachRun((run, events, _, { cachedActions }) => {
    const first = firstAgentAttempt(events);
    const over = events.find(({ type, epoch }) => type in terminal || (type === 'run.assigned' && epoch > first));
    const deadline = (over?.durableAt ?? Infinity) + IN_TRANSIT_MS;
    return actionsOf(run.id, cachedActions)
      .filter(({ at }) => at > deadline)
      .map(
        ({ at }) => `actions were cached ${Math.round(at - deadline + IN_TRANSIT_MS)} ms after attempt ${first} ended`,
      );
  }),
} satisfies Record<string, Invariant>;

const actionsOf = (run: string, cachedActions: readonly CachedActionFacts[]) =>
  cachedActions.filter((cachedAction) => cachedAction.run === run);

/** The first attempt that worked on a goal; Infinity: none. */
const firstAgentAttempt = (events: readonly EventFacts[]): number =>
  Math.min(...events.filter(({ type }) => type === 'agent.turn').map(({ epoch }) => epoch));
