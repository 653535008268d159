import { checkModelBudget, monthBudgetExceeded } from './budget-check.ts';

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
])('budget %j, call %j', (budget, call, details) => {
  const error = checkModelBudget(budget, used, call);
  expect(error?.details).toEqual(details);
  if (details) expect(error?.code).toBe('BUDGET_EXCEEDED');
});

test.each([
  [{ tokens: 1000 }, { tokens: 200, usd: null }, { limit: 1000, used: 900, unit: 'tokens' }, /\(1000 tokens.* 200\./],
  [{ usd: 1 }, { tokens: 1, usd: 0.51 }, { limit: 1, used: 0.75, unit: 'usd' }, /1 USD.* 0\.5100\./],
  [{ usd: 1 }, { tokens: 1, usd: null }, { limit: 1, used: 0.75, unit: 'usd' }, /price of the model is unknown/],
  [{ tokens: 5000, usd: 1 }, { tokens: 200, usd: 1 }, { limit: 1, used: 0.75, unit: 'usd' }, /1 USD/],
])('monthly budget %j, call %j', (budget, call, details, message) => {
  const spent = { month: '2026-11', tokens: 800, usd: 0.5, reserved: { tokens: 100, usd: 0.25 } };
  const error = monthBudgetExceeded('Harbour', budget, spent, call);
  expect(error).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { ...details, of: 'project', month: '2026-11' } });
  expect(error.message).toMatch(
    /^Model budget of the project Harbour exceeded .*in 2026-11, UTC\).*An admin can raise it/,
  );
  expect(error.message).toMatch(message);
});
