import { projectLimitErrors, effectiveBudget } from './budget-check.ts';

test.each([
  [{}, {}, {}],
  [{}, { steps: 3 }, { steps: 3 }],
  [{ default: { steps: 9, usd: 1 } }, { steps: 30 }, { steps: 30, usd: 1 }],
  [{ max: { tokens: 100 } }, {}, { tokens: 100 }],
  [{ default: { tokens: 50 }, max: { tokens: 100 } }, {}, { tokens: 50 }],
  // Of a run of before, when it was allowed.
  [
    { default: { tokens: 50 }, max: { tokens: 100 } },
    { tokens: 500, seconds: 60 },
    { tokens: 100, seconds: 60 },
  ],
])('where the project gives %j, a run that asks for %j may use up %j', (given, asked, may) =>
  expect(effectiveBudget(given, asked)).toEqual(may),
);

test.each([
  [{}, { tokens: 1e9 }, []],
  [{ max: { tokens: 100, usd: 1 } }, { tokens: 100, usd: 1, steps: 9 }, []],
  [{ max: { tokens: 100, usd: 1 } }, { tokens: 101, usd: 1.01 }, ['/tokens', '/usd']],
])('where the project gives %j, of %j is too much: %j', (given, asked, pointers) =>
  expect(projectLimitErrors(given, asked).map(({ pointer }) => pointer)).toEqual(pointers),
);
