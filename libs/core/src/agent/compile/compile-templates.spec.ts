import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { type TestAction, TIME, element, goalEvents, goal, compile, fillSearch } from './compile-run.fixture.ts';

test.each<[what: string, typed: string, inputs: Record<string, Json>, text: string]>([
  ['the whole text', 'mooring rope', { query: 'mooring rope' }, '{{inputs.query}}'],
  ['a part of it', 'a mooring rope, please', { query: 'mooring rope' }, 'a {{inputs.query}}, please'],
  ['the longest', 'mooring rope', { kind: 'rope', query: 'mooring rope' }, '{{inputs.query}}'],
  ['no part of a word', 'ropes', { query: 'rope' }, 'ropes'],
  ['a short one as the whole', '3', { quantity: 3 }, '{{inputs.quantity}}'],
  ['no short one inside', '3 or 4', { quantity: 3 }, '3 or 4'],
  ['a secret by its name', '{{inputs.password}}', {}, '{{inputs.password}}'],
  ['braces that were typed', '{{inputs.query}}', { query: 'x' }, '\\{{inputs.query}}'],
  ['a value after two braces', '{{rope', { query: 'rope' }, '\\{{{{inputs.query}}'],
  ['a value after a backslash', '\\rope', { query: 'rope' }, '\\\\{{inputs.query}}'],
  ['a secret after a backslash', '\\{{inputs.password}}', {}, '\\\\{{inputs.password}}'],
  ['neither of two that are the same', 'rope', { one: 'rope', other: 'rope' }, 'rope'],
])('replaces %s with a template', (_title, typed, values, text) => {
  const names = [...Object.keys(values), 'password', 'query'];
  const inputs = Object.fromEntries(
    names.map((name) => [
      name,
      name === 'password' ? { type: 'string' as const, secret: true } : { type: 'string' as const },
    ]),
  );
  const { steps, notes } = compile(
    goalEvents([fillSearch(typed)]),
    { inputs },
    { inputs: values, secrets: ['password'] },
  );
  expect(steps).toMatchObject([{ text }]);
  expect(notes).toHaveLength(Object.keys(values).length === 2 && text === 'rope' ? 1 : 0);
});

test.each<[string, string | RegExp]>([
  ['{rope}', '{rope}'],
  ['{{{rope', '\\{{{rope'],
  ['{{{inputs.password}}}', /a secret directly after a \{/],
])('creates no template directly after a brace: %s', (typed, expected) => {
  const inputs = { query: { type: 'string' as const }, password: { type: 'string' as const, secret: true } };
  const compiled = () =>
    compile(goalEvents([fillSearch(typed)]), { inputs }, { inputs: { query: 'rope' }, secrets: ['password'] });
  if (typeof expected !== 'string') return expect(compiled).toThrow(expected);
  expect(compiled()).toMatchObject({
    steps: [{ text: expected }],
    notes: [expect.stringContaining('the text is not replaced with a template')],
  });
});

test('replaces values of earlier steps that the goal uses', () => {
  const stepCompleted = createEvent(
    'step.completed',
    'x',
    {
      step: 0,
      id: 'sku',
      tier: 'replay',
      durationMs: 1,
      outcome: 'completed',
      effect: 'confirmed',
      located: null,
      value: 'RL-1',
      page: null,
    },
    TIME,
  );
  const events = [{ ...stepCompleted, seq: 1, run: 'x', epoch: 1 }, ...goalEvents([fillSearch('RL-1')], { step: 1 })];
  const sku = { id: 'sku', action: 'extract' as const, target: { css: 'td' }, value: {} };
  const { steps } = compile(events, { steps: [sku, { ...goal, goal: 'Find {{steps.sku.value}}' }] });
  expect(steps).toMatchObject([sku, { text: '{{steps.sku.value}}' }]);
});

test('keeps only locators with the input value if the name contains one', () => {
  const selectOption: TestAction = {
    action: { action: 'click', target: element },
    locators: [{ role: 'option', name: 'Mooring rope' }, { css: '#list > li:nth-of-type(1)' }],
  };
  const { steps } = compile(
    goalEvents([selectOption]),
    { inputs: { query: { type: 'string' } } },
    { inputs: { query: 'Mooring rope' } },
  );
  expect(steps).toEqual([{ action: 'click', target: { role: 'option', name: '{{inputs.query}}', exact: true } }]);
});
