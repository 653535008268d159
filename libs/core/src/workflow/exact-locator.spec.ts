import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { exactLocator } from './exact-locator.ts';

test.each<[Locator, Locator]>([
  [
    { role: 'button', name: 'Approve' },
    { role: 'button', name: 'Approve', exact: true },
  ],
  [{ label: 'Name' }, { label: 'Name', exact: true }],
  [{ placeholder: 'Name' }, { placeholder: 'Name', exact: true }],
  [{ text: 'Approve' }, { text: 'Approve', exact: true }],
  [
    { text: 'Approve', exact: false },
    { text: 'Approve', exact: false },
  ],
  [
    { text: 'Approve', nth: 0 },
    { text: 'Approve', nth: 0 },
  ],
  [{ role: 'button' }, { role: 'button' }],
  [
    { role: 'button', pattern: '^Approve$' },
    { role: 'button', pattern: '^Approve$' },
  ],
  [{ css: '#approve' }, { css: '#approve' }],
  [
    { role: 'button', within: { role: 'dialog', name: 'Order' }, near: { text: 'A-1' } },
    { role: 'button', within: { role: 'dialog', name: 'Order', exact: true }, near: { text: 'A-1', exact: true } },
  ],
  [
    { css: 'tr', has: { text: 'A-1' } },
    { css: 'tr', has: { text: 'A-1', exact: true } },
  ],
])('%j becomes %j', (locator, exact) => expect(exactLocator(locator)).toEqual(exact));
