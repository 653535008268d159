import { undercoveredPassages, type CaseCoverage } from '../report/failpoint-coverage.ts';
import { addedAt, dealCases, DECK_SIZE, FIRST_ADDED_INDEX, MINIMUM, addedCase, type CasePlan } from './case-plan.ts';

/** Selection of cases. */
export interface CaseSelection {
  readonly seed: string;
  /** Number of cases; Infinity: until the time is over. */
  readonly cases: number;
  /** Only the cases with these numbers. */
  readonly only?: ReadonlySet<number>;
  /** Only cases whose fault or variation matches. */
  readonly fitting?: RegExp;
}

/** Maximum number of cases that are added to a whole deck. */
const MAX_ADDED_CASES = 60;

/**
 * Yields the cases of the suite. After the minimum of a whole deck, cases for missed failpoints precede its remainder.
 * A failpoint is missed when it was not reached often enough: with recovery, without, or by a killed process.
 */
export function* selectCases(
  { seed, cases, only, fitting }: CaseSelection,
  results: readonly CaseCoverage[],
): Generator<CasePlan> {
  const dealt = { cases: 0, browsers: 0 };
  let addedCount = 0;
  function* missingCases(): Generator<CasePlan> {
    if (only || fitting || cases !== DECK_SIZE || dealt.cases < MINIMUM.cases || dealt.browsers < MINIMUM.browsers)
      return;
    for (
      let list = undercoveredPassages(results);
      list.length > 0 && addedCount < MAX_ADDED_CASES;
      list = undercoveredPassages(results)
    ) {
      // Rotates, because results of running cases are not counted yet.
      const next = list[addedCount % list.length];
      if (next) yield addedCase(addedCount++, next);
    }
  }
  const furthest = only || fitting ? FIRST_ADDED_INDEX : Infinity;
  for (const plan of dealCases(seed)) {
    if (dealt.cases >= cases || plan.index >= furthest || dealt.cases >= (only?.size ?? Infinity)) break;
    if (only && !only.has(plan.index)) continue;
    if (fitting && !fitting.test(`${plan.fault} ${plan.variation} ${plan.surface}`)) continue;
    yield* missingCases();
    dealt.cases += 1;
    dealt.browsers += Number(plan.surface === 'browser');
    yield plan;
  }
  yield* missingCases();
  for (const index of only ?? []) {
    const plan = addedAt(index);
    if (plan) yield plan;
  }
}
