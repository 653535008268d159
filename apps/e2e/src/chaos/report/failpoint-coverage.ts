import { failpoints, failpointInfo, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../checks/stored-run.ts';
import type { Fired } from '../system/fired-failpoint.ts';

/**
 * Required hits of each failpoint in the full set: by recovered runs, by other runs, and by a killed process. A
 * brief delay also counts as a hit, but alone is weak evidence.
 */
export const REQUIRED_HITS = { with: 10, without: 10, killed: 3 } as const;

/**
 * Hit of a failpoint at which a process broke. A run is recovered when it had more than one attempt, whether this
 * hit caused that, preceded it or belongs to the later attempt. Several runs may pass together, so both flags can
 * be true.
 */
export interface Hit {
  readonly failpoint: string;
  /** A recovered run passed. */
  readonly with: boolean;
  /** A run passed that had one attempt, or was never stored. */
  readonly without: boolean;
  /** The process was killed at this point. */
  readonly killed: boolean;
}

/** @param runs runs of the case */
export function hitOf({ failpoint, isKilled: killed, runs: passing }: Fired, runs: readonly RunFacts[]): Hit {
  const recoveredRuns = new Set(runs.filter(({ epoch }) => epoch > 1).map(({ id }) => id));
  const isRecovered = (run: string) => recoveredRuns.has(run);
  return { failpoint, with: passing.some(isRecovered), without: !passing.every(isRecovered), killed };
}

export type Side = keyof typeof REQUIRED_HITS;

/** Number of hits of a failpoint. */
export type HitCounts = Readonly<Record<Side, number>>;

/** Facts of a case for the coverage. */
export interface CaseCoverage {
  readonly fired: readonly Hit[];
}

const names = Object.keys(failpoints) as Failpoint[];

/** Counts the hits of each failpoint by broken processes: with recovery, without, and killed. */
export function countHits(results: readonly CaseCoverage[]): Record<Failpoint, HitCounts> {
  const hitsByName = Map.groupBy(
    results.flatMap(({ fired }) => fired),
    ({ failpoint }) => failpoint,
  );
  const count = (name: Failpoint, side: Side) => (hitsByName.get(name) ?? []).filter((hit) => hit[side]).length;
  const countsOf = (name: Failpoint): HitCounts => ({
    with: count(name, 'with'),
    without: count(name, 'without'),
    killed: count(name, 'killed'),
  });
  const entries = names.map((name) => [name, countsOf(name)] as const);
  return Object.fromEntries(entries) as Record<Failpoint, HitCounts>;
}

/** A kind of hit that was not observed often enough. */
export interface UndercoveredHit {
  readonly name: Failpoint;
  readonly side: Side;
  readonly times: number;
}

/** Missing hits of the full set, except for those that the failpoint declares impossible. */
export function undercoveredHits(results: readonly CaseCoverage[]): UndercoveredHit[] {
  return Object.entries(countHits(results)).flatMap(([key, counts]) => {
    const name = key as Failpoint;
    const sides: Side[] =
      failpointInfo(name).onlyAfterRecovery === undefined ? ['with', 'without', 'killed'] : ['with', 'killed'];
    return sides
      .map((side) => ({ name, side, times: counts[side] }))
      .filter(({ side, times }) => times < REQUIRED_HITS[side]);
  });
}

const words: Readonly<Record<Side, string>> = {
  with: 'with a takeover',
  without: 'without a takeover',
  killed: 'by a process that was killed there',
};

/** Text for a progress or failure line. */
export const describeHit = ({ name, side, times }: UndercoveredHit): string =>
  `${name} ${words[side]} (${times} of ${REQUIRED_HITS[side]})`;
