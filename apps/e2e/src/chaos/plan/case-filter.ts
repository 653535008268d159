import { seldomPassed, type Played } from '../report/failpoint-coverage.ts';
import { addedAt, deal, DECK, FURTHEST, LEAST, more, type CasePlan } from './case-plan.ts';

/** Which cases are played. */
export interface Choice {
  readonly seed: string;
  /** Cases to play; Infinity: until the time is over. */
  readonly cases: number;
  /** Only the cases with these numbers. */
  readonly only?: ReadonlySet<number>;
  /** Only cases whose fault or variation fits. */
  readonly fitting?: RegExp;
}

/** Most cases that are added to a whole deck. */
const MORE = 60;

/**
 * The cases of the suite. Once the least of a whole deck is dealt, those that were missed come before what is left of it: failpoints that were not
 * passed often enough: with a takeover, without, or by a process that was killed there.
 */
export function* chosen({ seed, cases, only, fitting }: Choice, results: readonly Played[]): Generator<CasePlan> {
  const dealt = { cases: 0, browsers: 0 };
  let added = 0;
  function* missed(): Generator<CasePlan> {
    if (only || fitting || cases !== DECK || dealt.cases < LEAST.cases || dealt.browsers < LEAST.browsers) return;
    for (let list = seldomPassed(results); list.length > 0 && added < MORE; list = seldomPassed(results)) {
      // Of those in turn: what the houses are playing for the first of them is not counted yet.
      const next = list[added % list.length];
      if (next) yield more(added++, next);
    }
  }
  const furthest = only || fitting ? FURTHEST : Infinity;
  for (const plan of deal(seed)) {
    if (dealt.cases >= cases || plan.index >= furthest || dealt.cases >= (only?.size ?? Infinity)) break;
    if (only && !only.has(plan.index)) continue;
    if (fitting && !fitting.test(`${plan.fault} ${plan.variation} ${plan.surface}`)) continue;
    yield* missed();
    dealt.cases += 1;
    dealt.browsers += Number(plan.surface === 'browser');
    yield plan;
  }
  yield* missed();
  for (const index of only ?? []) {
    const plan = addedAt(index);
    if (plan) yield plan;
  }
}
