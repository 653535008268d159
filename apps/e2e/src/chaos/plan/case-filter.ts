import { rarelyPassed, type Played } from '../report/failpoint-coverage.ts';
import { addedAt, deal, DECK_SIZE, FIRST_ADDED_INDEX, MINIMUM, addedCase, type CasePlan } from './case-plan.ts';

/** Which cases are played. */
export interface CaseSelection {
  readonly seed: string;
  /** Cases to play; Infinity: until the time is over. */
  readonly cases: number;
  /** Only the cases with these numbers. */
  readonly only?: ReadonlySet<number>;
  /** Only cases whose fault or variation fits. */
  readonly fitting?: RegExp;
}

/** Most cases that are added to a whole deck. */
const MAX_ADDED_CASES = 60;

/**
 * The cases of the suite. Once the least of a whole deck is dealt, those that were missed come before what is left of it: failpoints that were not
 * passed often enough: with a takeover, without, or by a process that was killed there.
 */
export function* selectCases(
  { seed, cases, only, fitting }: CaseSelection,
  results: readonly Played[],
): Generator<CasePlan> {
  const dealt = { cases: 0, browsers: 0 };
  let added = 0;
  function* missingCases(): Generator<CasePlan> {
    if (only || fitting || cases !== DECK_SIZE || dealt.cases < MINIMUM.cases || dealt.browsers < MINIMUM.browsers)
      return;
    for (let list = rarelyPassed(results); list.length > 0 && added < MAX_ADDED_CASES; list = rarelyPassed(results)) {
      // Of those in turn: what the systems are playing for the first of them is not counted yet.
      const next = list[added % list.length];
      if (next) yield addedCase(added++, next);
    }
  }
  const furthest = only || fitting ? FIRST_ADDED_INDEX : Infinity;
  for (const plan of deal(seed)) {
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
