import { budgetFieldOf, budgetsOf } from './budget-form.ts';

const form = (fields: Record<string, string>) => budgetsOf((field) => fields[field] ?? '');

test('an empty form gives no budget', () => expect(form({})).toBeNull());

test('reads the budgets; a month has model units only', () =>
  expect(
    form({
      'budgets.default.tokens': '50000',
      'budgets.max.seconds': '1.5',
      'budgets.month.usd': '20',
      'budgets.month.steps': '9',
    }),
  ).toEqual({ default: { tokens: 50_000 }, max: { seconds: 1.5 }, month: { usd: 20 } }));

test.each(['many', '1.5'])('names the field of %s tokens', (text) =>
  expect(() => form({ 'budgets.month.tokens': text })).toThrow(
    expect.objectContaining({ field: 'budgets.month.tokens' }),
  ),
);

test('finds the form field of an API error', () => {
  expect(budgetFieldOf('/budgets/month/usd')).toBe('budgets.month.usd');
  expect(budgetFieldOf('/models/act/use/0')).toBeNull();
});
