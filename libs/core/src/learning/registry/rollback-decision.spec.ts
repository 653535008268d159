import { rollbackReason } from './rollback-decision.ts';

test.each<[string, number, number, number, number, boolean]>([
  ['20 runs below the interval of the base', 14, 20, 90, 100, true],
  ['20 runs within the interval', 17, 20, 90, 100, false],
  ['fewer than 20 runs, not clearly worse', 7, 10, 90, 100, false],
  ['5 failures where the base nearly always succeeds', 0, 5, 95, 100, true],
  ['4 failures', 0, 4, 95, 100, false],
  ['a base with too few runs', 0, 20, 9, 9, false],
  ['a base that fails as often', 10, 20, 50, 100, false],
  ['a better model', 20, 20, 60, 100, false],
])('%s', (_title, successes, trials, baseSuccesses, baseTrials, isRolledBack) => {
  const reason = rollbackReason({ successes, trials }, { successes: baseSuccesses, trials: baseTrials });
  expect(reason !== null).toBe(isRolledBack);
});

test('the reason names both rates', () => {
  expect(rollbackReason({ successes: 14, trials: 20 }, { successes: 90, trials: 100 })).toBe(
    '14 of the last 20 runs succeeded (70 %), below the interval 83 % to 94 % of 100 runs without the model',
  );
});
