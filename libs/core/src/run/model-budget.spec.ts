import { overModelBudget } from './model-budget.ts';

const used = { tokens: 900, usd: 0.5 };

test.each([
  [{}, { tokens: 1e9, usd: null }, undefined],
  [{ tokens: 1000 }, { tokens: 100, usd: null }, undefined],
  [{ tokens: 1000 }, { tokens: 101, usd: 0 }, { limit: 1000, used: 900, unit: 'tokens' }],
  [{ usd: 1 }, { tokens: 1e9, usd: 0.5 }, undefined],
  [{ usd: 1 }, { tokens: 1, usd: 0.51 }, { limit: 1, used: 0.5, unit: 'usd' }],
  [{ usd: 1 }, { tokens: 1, usd: null }, { limit: 1, used: 0.5, unit: 'usd' }],
  [
    { tokens: 2000, usd: 0.4 },
    { tokens: 1, usd: 0 },
    { limit: 0.4, used: 0.5, unit: 'usd' },
  ],
])('of %j a call of %j', (budget, call, details) => {
  const over = overModelBudget(budget, used, call);
  expect(over?.details).toEqual(details);
  if (details) expect(over?.code).toBe('BUDGET_EXCEEDED');
});
