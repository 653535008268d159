import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { assertRequiredEffect } from './required-effect.ts';

const required: Action = { action: 'type', text: 'Ada', require: 'delivered' };
const unverifiable: ActionEffect = { effect: 'unverifiable', effectReason: 'No text field has the focus' };

test('a required effect fails without a confirmation, and names the reason', () => {
  expect(() => assertRequiredEffect(required, unverifiable)).toThrow(
    'The text may not have been delivered: No text field has the focus',
  );
});

test.each<[string, Action, ActionEffect]>([
  ['a confirmed text', required, { effect: 'confirmed' }],
  ['a step without the requirement', { action: 'type', text: 'Ada' }, unverifiable],
])('accepts %s', (_name, action, effect) => {
  expect(() => assertRequiredEffect(action, effect)).not.toThrow();
});
