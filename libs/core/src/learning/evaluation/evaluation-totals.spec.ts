import type { ActionComparison } from './action-comparison.ts';
import { EvaluationTotals, type ExampleOutcome } from './evaluation-totals.ts';

const facts = {
  model: 'vllm/rope',
  dataset: 'orders@1',
  split: 'test',
  job: '0198c0de-0000-7000-8000-000000000001',
} as const;
const anAnswer = (facts: object = {}) => ({
  usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 5 },
  ...{ usd: 0.01, durationMs: 800, ...facts },
});
const match: ActionComparison = {
  ...{ isMatch: true, hasSameKind: true, hasSameTarget: true, hasSameText: null },
  distance: { pixels: 10, share: 0.01 },
};
const compared = (name: string, comparison: Partial<ActionComparison> = {}, answer: object = {}): ExampleOutcome => ({
  ...{ name, kind: 'compared', comparison: { ...match, ...comparison }, answer: anAnswer(answer) },
});

test('rates have an interval, and each example is in exactly one list', () => {
  const totals = new EvaluationTotals(null);
  totals.add(0, compared('a/1'));
  totals.add(1, compared('a/2', { isMatch: false, hasSameTarget: false, distance: { pixels: 90, share: 0.09 } }));
  totals.add(2, compared('a/3', { hasSameTarget: null, hasSameText: false, isMatch: false, distance: null }));
  totals.add(3, { name: 'a/4', kind: 'error', reason: 'The answer called no function.', answer: anAnswer() });
  totals.add(4, { name: 'a/5', kind: 'error', reason: 'Refused', answer: null });
  totals.add(5, { name: 'a/6', kind: 'skipped', reason: 'No label' });
  expect(totals.result(facts)).toMatchObject({
    actionMatchRate: { successes: 1, trials: 5, low: expect.closeTo(0.036, 3), high: expect.closeTo(0.624, 3) },
    ...{
      kindMatchRate: { successes: 3, trials: 5 },
      targetMatchRate: { successes: 1, trials: 2 },
      textMatchRate: { successes: 0, trials: 1 },
    },
    grounding: { count: 2, medianPixels: 10, p90Pixels: 90, medianShare: 0.01 },
    tokens: { input: 400, output: 40, cached: 20 },
    usd: expect.closeTo(0.04),
    latencyMs: { median: 800, p90: 800 },
    errors: [
      { reason: 'Refused', count: 1, examples: ['a/5'] },
      { reason: 'The answer called no function.', count: 1, examples: ['a/4'] },
    ],
    skipped: [{ reason: 'No label', count: 1, examples: ['a/6'] }],
  });
});

test('an unknown price makes the sum unknown', () => {
  const totals = new EvaluationTotals(null);
  totals.add(0, compared('a/1', {}, { usd: null }));
  totals.add(1, compared('a/2'));
  expect(totals.result(facts).usd).toBeNull();
});

test('a restored evaluation counts no example twice, in any order', () => {
  const first = new EvaluationTotals(null);
  first.add(0, compared('a/1'));
  first.add(2, compared('a/3'));
  const second = new EvaluationTotals(structuredClone(first.checkpoint()));
  expect([0, 1, 2, 3].map((index) => second.isDone(index))).toEqual([true, false, true, false]);
  for (const index of [0, 1, 2, 3]) second.add(index, compared(`a/${index + 1}`));
  expect(second.result(facts).actionMatchRate).toMatchObject({ successes: 4, trials: 4 });
  expect(second.checkpoint()).toMatchObject({ nextIndex: 4, finishedIndexes: [] });
  expect(second.doneCount).toBe(4);
});

test('many different reasons are counted together', () => {
  const totals = new EvaluationTotals(null);
  for (let index = 0; index < 60; index += 1)
    totals.add(index, { name: `a/${index}`, kind: 'error', reason: `Reason ${index}`, answer: null });
  const { errors } = totals.result(facts);
  expect(errors).toHaveLength(51);
  expect(errors[0]).toMatchObject({ reason: 'Other reasons', count: 10 });
});
