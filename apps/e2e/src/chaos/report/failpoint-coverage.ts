import { failpoints, failpointInfo, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../checks/stored-run.ts';
import type { Fired } from '../system/fired-failpoint.ts';

/**
 * Times that each failpoint has to be passed in a whole deck: by runs that were taken over, by runs that were not, and by a process that was
 * killed there. Who is held up for a moment passes, too: that alone would prove little.
 */
export const NEEDED = { with: 10, without: 10, killed: 3 } as const;

/**
 * A failpoint that a process broke at, as it was for the runs that came by there. A run was taken over when more than one attempt was made at it,
 * whether this passage led to that, came before it or was part of the later attempt. Several runs may pass together: then it may have been
 * both.
 */
export interface Passage {
  readonly failpoint: string;
  /** It was passed by a run that was taken over. */
  readonly with: boolean;
  /** It was passed by a run that was not: it came to its end in one attempt, or was never stored. */
  readonly without: boolean;
  /** The process was killed at this very place. */
  readonly killed: boolean;
}

/** @param runs of the case */
export function passageOf({ failpoint, isKilled: killed, runs: passing }: Fired, runs: readonly RunFacts[]): Passage {
  const takenOver = new Set(runs.filter(({ epoch }) => epoch > 1).map(({ id }) => id));
  const isWith = (run: string) => takenOver.has(run);
  return { failpoint, with: passing.some(isWith), without: !passing.every(isWith), killed };
}

export type Side = keyof typeof NEEDED;

/** How often a failpoint was passed. */
export type Counted = Readonly<Record<Side, number>>;

/** What is known of a case for that. */
export interface Played {
  readonly fired: readonly Passage[];
}

const names = Object.keys(failpoints) as Failpoint[];

/** How often each failpoint was passed by somebody who broke there: with a takeover, without, and killed. */
export function passages(results: readonly Played[]): Record<Failpoint, Counted> {
  const all = Map.groupBy(
    results.flatMap(({ fired }) => fired),
    ({ failpoint }) => failpoint,
  );
  const count = (name: Failpoint, side: Side) => (all.get(name) ?? []).filter((passage) => passage[side]).length;
  const countedOf = (name: Failpoint): Counted => ({
    with: count(name, 'with'),
    without: count(name, 'without'),
    killed: count(name, 'killed'),
  });
  const countPassages = names.map((name) => [name, countedOf(name)] as const);
  return Object.fromEntries(countPassages) as Record<Failpoint, Counted>;
}

/** A side of a failpoint that was not seen often enough. */
export interface RarelyPassed {
  readonly name: Failpoint;
  readonly side: Side;
  readonly times: number;
}

/** What a whole deck still misses; what a failpoint says never happens there is not missed. */
export function rarelyPassed(results: readonly Played[]): RarelyPassed[] {
  return Object.entries(passages(results)).flatMap(([key, countPassages]) => {
    const name = key as Failpoint;
    const sides: Side[] =
      failpointInfo(name).onlyAfterRecovery === undefined ? ['with', 'without', 'killed'] : ['with', 'killed'];
    return sides
      .map((side) => ({ name, side, times: countPassages[side] }))
      .filter(({ side, times }) => times < NEEDED[side]);
  });
}

const words: Readonly<Record<Side, string>> = {
  with: 'with a takeover',
  without: 'without a takeover',
  killed: 'by a process that was killed there',
};

/** For a line of progress or of failure. */
export const inWords = ({ name, side, times }: RarelyPassed): string =>
  `${name} ${words[side]} (${times} of ${NEEDED[side]})`;
