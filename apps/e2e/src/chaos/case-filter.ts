import { undercoveredHits, type CaseCoverage } from './report/failpoint-coverage.ts';
import {
  addedAt,
  generateCases,
  FULL_SET_SIZE,
  FIRST_ADDED_INDEX,
  MINIMUM,
  addedCase,
  type CasePlan,
} from './case-plan.ts';

export interface CaseSelection {
  readonly seed: string;
  /** Number of cases; Infinity: until the time is over. */
  readonly cases: number;
  /** Failpoints whose cases of the full set run in addition to `cases`. */
  readonly failpoints?: ReadonlySet<string>;
  /** Only the cases with these numbers. */
  readonly only?: ReadonlySet<number>;
  /** Only cases whose fault or variation matches. */
  readonly fitting?: RegExp;
}

/** Maximum number of cases that are added to the full set. */
const MAX_ADDED_CASES = 60;

/**
 * Yields the cases of the suite. After the minimum of the full set, cases for missed failpoints precede its remainder.
 * A failpoint is missed when it was not reached often enough: with recovery, without, or by a killed process.
 */
export function* selectCases(
  { seed, cases, only, fitting, failpoints }: CaseSelection,
  results: readonly CaseCoverage[],
): Generator<CasePlan> {
  const yielded = { cases: 0, browsers: 0 };
  let addedCount = 0;
  function* missingCases(): Generator<CasePlan> {
    if (
      only ||
      fitting ||
      cases !== FULL_SET_SIZE ||
      yielded.cases < MINIMUM.cases ||
      yielded.browsers < MINIMUM.browsers
    )
      return;
    for (
      let list = undercoveredHits(results);
      list.length > 0 && addedCount < MAX_ADDED_CASES;
      list = undercoveredHits(results)
    ) {
      // Rotates, because results of running cases are not counted yet.
      const next = list[addedCount % list.length];
      if (next) yield addedCase(addedCount++, next);
    }
  }
  const furthest = only || fitting ? FIRST_ADDED_INDEX : failpoints ? Math.max(cases, FULL_SET_SIZE) : Infinity;
  for (const plan of generateCases(seed)) {
    if (plan.index >= furthest || yielded.cases >= (only?.size ?? Infinity)) break;
    if (yielded.cases >= cases && !failpoints) break;
    if (yielded.cases >= cases && !failpoints?.has(plan.fault)) continue;
    if (only && !only.has(plan.index)) continue;
    if (fitting && !fitting.test(`${plan.fault} ${plan.variation} ${plan.surface}`)) continue;
    yield* missingCases();
    yielded.cases += 1;
    yielded.browsers += Number(plan.surface === 'browser');
    yield plan;
  }
  yield* missingCases();
  for (const index of only ?? []) {
    const plan = addedAt(index);
    if (plan) yield plan;
  }
}
