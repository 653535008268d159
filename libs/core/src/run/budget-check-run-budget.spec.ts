import { projectLimitErrors, effectiveBudget } from './budget-check.ts';

test.each([
  [{}, {}, {}],
  [{}, { steps: 3 }, { steps: 3 }],
  [{ default: { steps: 9, usd: 1 } }, { steps: 30 }, { steps: 30, usd: 1 }],
  [{ max: { tokens: 100 } }, {}, { tokens: 100 }],
  [{ default: { tokens: 50 }, max: { tokens: 100 } }, {}, { tokens: 50 }],
  // A run from before the maximum was set.
  [
    { default: { tokens: 50 }, max: { tokens: 100 } },
    { tokens: 500, seconds: 60 },
    { tokens: 100, seconds: 60 },
  ],
])('project budgets %j limit a requested %j to %j', (projectBudgets, requested, expected) =>
  expect(effectiveBudget(projectBudgets, requested)).toEqual(expected),
);

test.each([
  [{}, { tokens: 1e9 }, []],
  [{ max: { tokens: 100, usd: 1 } }, { tokens: 100, usd: 1, steps: 9 }, []],
  [{ max: { tokens: 100, usd: 1 } }, { tokens: 101, usd: 1.01 }, ['/tokens', '/usd']],
])('project budgets %j, requested %j: errors at %j', (projectBudgets, requested, pointers) =>
  expect(projectLimitErrors(projectBudgets, requested).map(({ pointer }) => pointer)).toEqual(pointers),
);
