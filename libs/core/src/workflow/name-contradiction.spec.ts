import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { contradictedName, isSynonymousName, nameContradiction, type NameContradiction } from './name-contradiction.ts';

test.each<[string, string, NameContradiction | null]>([
  ['Approve', 'Reject', 'opposite'],
  ['Approve', 'Disapprove', 'opposite'],
  ['Approve request', 'Rejected requests', 'opposite'],
  ['Allow', 'Do not allow', 'opposite'],
  ['Sign in', 'Sign out', 'opposite'],
  ['Mute', 'Unmute', 'opposite'],
  ['Genehmigen', 'Ablehnen', 'opposite'],
  ['Next', 'Previous', 'opposite'],
  ['Submit', 'Decline', 'opposite'],
  ['Approve', 'Approve all', 'wider'],
  ['Select all', 'Select', 'wider'],
  ['Approve', 'Help', 'other'],
  ['Approve', 'Accept', 'other'],
  ['Inbox (3)', 'Inbox (12)', null],
  ['Pay $12.00', 'Pay €9', null],
  ['  Log   in', 'LOG-IN »', null],
  ['Save', '\uf00c Save', null],
  ['E-mail', 'Email address', null],
  ['Request renewal', 'Submit renewal', null],
  ['Continue', 'Continuing…', null],
  ['Save', '💾', null],
  ['Send', 'Send invoice', null],
])('%s and %s: %s', (recorded, name, expected) => expect(nameContradiction(recorded, name)).toBe(expected));

test('a part of a name is contradicted only by an opposite', () => {
  expect(nameContradiction('Approve', 'Help', false)).toBeNull();
  expect(nameContradiction('Approve', 'Approve all', false)).toBeNull();
  expect(nameContradiction('Approve', 'Reject', false)).toBe('opposite');
  expect(nameContradiction('Approve', 'Disapprove', false)).toBe('opposite');
  expect(nameContradiction('Off', 'On or offline', false)).toBeNull();
  expect(nameContradiction('Close', 'Closed and open', false)).toBeNull();
});

test.each<[string, Locator[], string[], string | null]>([
  ['a test id without a name says nothing', [{ testId: 'a' }], ['Reject'], null],
  ['an exact name', [{ role: 'button', name: 'Save', exact: true }, { testId: 'a' }], ['Help'], 'Save'],
  ['one of several written names is enough', [{ text: 'OK' }, { text: 'Yes' }], ['Yes'], null],
  ['the text of an element counts beside its name', [{ text: 'Save', exact: true }], ['Store the draft', 'Save'], null],
  ['a placeholder is no name', [{ placeholder: 'Search', exact: true }], ['Product'], null],
])('%s', (_, target, names, expected) => expect(contradictedName(target, names)?.recorded ?? null).toBe(expected));

test('an opposite counts before another name', () => {
  const chain = [
    { text: 'Order', exact: true },
    { label: 'Approve', exact: true },
  ];
  expect(contradictedName(chain, ['Reject'])).toEqual({ recorded: 'Approve', kind: 'opposite' });
});

test.each<[string, string, boolean]>([
  ['Request renewal', 'Submit renewal', true],
  ['Request renewal', 'Submit the renewal', true],
  ['Save profile', 'Update profile', true],
  ['Antrag einreichen', 'Antrag absenden', true],
  ['Request renewal', 'Cancel renewal', false],
  ['Request renewal', 'Request refund', false],
  ['Approve request', 'Reject request', false],
  ['Approve request', 'View request', false],
  ['Approve request', 'Accept all requests', false],
  ['Log in', 'Sign in', false],
  ['Submit', 'Send', false],
])('%s and %s are synonymous: %s', (recorded, name, expected) =>
  expect(isSynonymousName(recorded, name)).toBe(expected),
);
