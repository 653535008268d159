import { failpoints, failpointInfo, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../checks/stored-run.ts';
import type { Fired } from '../system/fired-failpoint.ts';

/**
 * Required passages of each failpoint in a whole deck: by recovered runs, by other runs, and by a killed process. A
 * brief delay also counts as a passage, but alone would prove little.
 */
export const NEEDED = { with: 10, without: 10, killed: 3 } as const;

/**
 * Passage of a failpoint at which a process broke. A run is recovered when it had more than one attempt, whether this
 * passage caused that, preceded it or belongs to the later attempt. Several runs may pass together, so both flags can
 * be true.
 */
export interface Passage {
  readonly failpoint: string;
  /** A recovered run passed. */
  readonly with: boolean;
  /** A run passed that had one attempt, or was never stored. */
  readonly without: boolean;
  /** The process was killed at this point. */
  readonly killed: boolean;
}

/** @param runs runs of the case */
export function passageOf({ failpoint, isKilled: killed, runs: passing }: Fired, runs: readonly RunFacts[]): Passage {
  const recoveredRuns = new Set(runs.filter(({ epoch }) => epoch > 1).map(({ id }) => id));
  const isRecovered = (run: string) => recoveredRuns.has(run);
  return { failpoint, with: passing.some(isRecovered), without: !passing.every(isRecovered), killed };
}

export type Side = keyof typeof NEEDED;

/** Number of passages of a failpoint. */
export type Counted = Readonly<Record<Side, number>>;

/** Facts of a case for the coverage. */
export interface Played {
  readonly fired: readonly Passage[];
}

const names = Object.keys(failpoints) as Failpoint[];

/** Counts the passages of each failpoint by broken processes: with recovery, without, and killed. */
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

/** A kind of passage that was not observed often enough. */
export interface UndercoveredPassage {
  readonly name: Failpoint;
  readonly side: Side;
  readonly times: number;
}

/** Missing passages of a whole deck, except for those that the failpoint declares impossible. */
export function undercoveredPassages(results: readonly Played[]): UndercoveredPassage[] {
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

/** Text for a progress or failure line. */
export const describePassage = ({ name, side, times }: UndercoveredPassage): string =>
  `${name} ${words[side]} (${times} of ${NEEDED[side]})`;
