import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { SHOP, goalEvents, goal, compile, compileErrorMessage, clickGo } from './compile-run.fixture.ts';

describe('answer', () => {
  const cell: Locator = { css: '#rows > td' };
  const output = '{{steps.goal.value}}';

  test('is read from its element', () => {
    const { definition, notes } = compile(
      goalEvents([clickGo], { value: 4.5, sources: [{ pointer: '', locators: [cell] }] }),
      {
        output,
        outputSchema: { type: 'number' },
      },
    );
    expect(definition.steps.at(-1)).toEqual({
      id: 'goal',
      action: 'extract',
      target: [cell],
      value: { type: 'number' },
    });
    expect(definition).toMatchObject({ output, outputSchema: { type: 'number' } });
    expect(notes).toEqual([expect.stringContaining('is read from its element in this run')]);
  });

  test('of several parts is combined under the name of the goal', () => {
    const sources = [
      { pointer: '/sku', locators: [cell] },
      { pointer: '/price/amount', locators: [{ testId: 'price' }] },
    ];
    const value = { sku: 'RL-1', price: { amount: 2 } };
    const { definition } = compile(goalEvents([clickGo], { value, sources }), {
      output: '{{steps.goal.value.price.amount}}',
    });
    expect(definition.steps.at(-1)).toEqual({ id: 'goal', action: 'call', workflow: 'answer-1' });
    expect(definition.workflows).toMatchObject({
      'answer-1': {
        steps: [{ target: [cell] }, { target: [{ testId: 'price' }], value: { type: 'number' } }],
        output: { sku: '{{steps.part1.value}}', price: { amount: '{{steps.part2.value}}' } },
      },
    });
  });

  test('without locators is left out with a note', () => {
    const value = { sku: 'RL-1', price: 2 };
    const { definition, notes } = compile(
      goalEvents([clickGo], { value, sources: [{ pointer: '/sku', locators: [cell] }] }),
      {
        output,
        outputSchema: { type: 'object' },
      },
    );
    expect(definition.steps).toHaveLength(1);
    expect(definition).not.toHaveProperty('output');
    expect(definition).not.toHaveProperty('outputSchema');
    expect(notes).toEqual([
      expect.stringContaining('the answer is not compiled; /price'),
      expect.stringContaining('has no output'),
    ]);
  });

  test('without locators rejects the run if a later step needs it', () => {
    const steps = [goal, { action: 'navigate' as const, url: `${SHOP}/{{steps.goal.value}}` }];
    expect(compileErrorMessage(goalEvents([clickGo], { value: 'RL-1' }), { steps })).toMatch(
      /would be invalid at \/steps\/1\/url.*not compiled/,
    );
  });
});
