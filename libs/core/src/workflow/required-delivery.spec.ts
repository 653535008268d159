import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Delivery } from '@pilothouse/contract/actions/delivery.schema';
import { assertRequiredDelivery } from './required-delivery.ts';

const required: Action = { action: 'type', text: 'Ada', require: 'delivered' };
const unverified: Delivery = { status: 'unverified', reason: 'No text field has the focus' };

test('a required delivery fails without a confirmation, and names the reason', () => {
  expect(() => assertRequiredDelivery(required, { delivery: unverified })).toThrow(
    'The typed text was not confirmed: No text field has the focus',
  );
});

test.each<[string, Action, Delivery | undefined]>([
  ['a delivered text', required, { status: 'delivered' }],
  ['a surface that verifies by itself', required, undefined],
  ['a step without the requirement', { action: 'type', text: 'Ada' }, unverified],
])('accepts %s', (_name, action, delivery) => {
  expect(() => assertRequiredDelivery(action, { ...(delivery && { delivery }) })).not.toThrow();
});
