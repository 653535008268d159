import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { needsPreCheck, isReadOnlyStep, postconditionOf } from './step-effects.ts';

const click: Step = { action: 'click', target: { text: 'Order' } };
const extract: Step = { action: 'extract', target: { css: 'h1' }, value: {} };

describe('conditions that hold after a step', () => {
  test.each<[string, Step, Step | undefined, unknown]>([
    ['its own `expect`', { ...click, expect: { url: '/done' } }, extract, { url: '/done' }],
    ['the target of the next step', click, extract, { visible: { css: 'h1' } }],
    [
      'the condition of the next `waitFor`',
      click,
      { action: 'waitFor', condition: { title: 'Done' } },
      { title: 'Done' },
    ],
    ['none before a navigation', click, { action: 'navigate', url: 'https://a.test' }, null],
    ['none at the end', click, undefined, null],
  ])('%s', (_, step, next, condition) => {
    expect(postconditionOf(step, next)).toEqual(condition);
  });

  test.each<[string, Partial<Step>, boolean]>([
    ['a plain step', {}, false],
    ['a step that expects something', { expect: { text: 'Done' } }, true],
    ['a step that must not be repeated', { idempotent: false }, true],
    ['a step that is always repeated', { expect: { text: 'Done' }, onInterrupted: 'rerun' }, false],
    ['a step that asks a person', { idempotent: false, onInterrupted: 'ask' }, false],
  ])('pre-check of %s: %#', (_, fields, expected) => {
    expect(needsPreCheck({ ...click, ...fields } as Step)).toBe(expected);
  });

  test('extract is read-only, click is not', () => {
    expect([extract, click].map(isReadOnlyStep)).toEqual([true, false]);
  });
});
