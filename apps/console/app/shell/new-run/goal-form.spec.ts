import { submitRunSchema } from '@pilothouse/contract/run/run.schema';
import { budgetLimits, goalBudgetOf, outputSchemaOf } from './goal-form.ts';

const budgetOf = (values: Readonly<Record<string, string>>) => goalBudgetOf((field) => values[field] ?? '');

test('a budget has only the limits that are entered, and minutes are seconds', () => {
  expect(budgetOf({})).toBeNull();
  const budget = budgetOf({ 'budget/steps': '20', 'budget/seconds': '1.5', 'budget/usd': '0.5' });
  expect(budget).toEqual({ steps: 20, seconds: 90, usd: 0.5 });
  expect(submitRunSchema.safeParse({ goal: 'x', budget }).error?.issues ?? []).toEqual([]);
});

test('the form has each limit of the contract', () => {
  const keys = Object.keys(submitRunSchema.shape.budget.def.innerType.shape).toSorted();
  expect(budgetLimits.map(({ key }) => key).toSorted()).toEqual(keys);
});

test.each([
  [{ 'budget/steps': '1.5' }, 'budget/steps'],
  [{ 'budget/steps': '0' }, 'budget/steps'],
  [{ 'budget/tokens': 'many' }, 'budget/tokens'],
  [{ 'budget/seconds': '-1' }, 'budget/seconds'],
  [{ 'budget/usd': 'NaN' }, 'budget/usd'],
])('%j is refused at %s', (values, field) =>
  expect(() => budgetOf(values)).toThrow(expect.objectContaining({ field }) as Error),
);

test('an output schema is a JSON object', () => {
  expect(outputSchemaOf(' ')).toBeNull();
  expect(outputSchemaOf('{ "type": "object" }')).toEqual({ type: 'object' });
  for (const text of ['{', '[]', '1', 'null', '"object"'])
    expect(() => outputSchemaOf(text)).toThrow(expect.objectContaining({ field: 'outputSchema' }) as Error);
});
