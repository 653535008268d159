import type { FieldText } from '../accessibility/accessible-text.ts';
import { readbackOf, firstDifference, hasNewOccurrence, textsAfterTyping } from './text-difference.ts';

const aField = (text: string, field: Partial<FieldText> = {}): FieldText => ({
  role: 61,
  text,
  caret: [...text].length,
  selection: null,
  isSecret: false,
  ...field,
});

test.each([
  ['at the end', aField('ab'), ['abX']],
  ['at the caret', aField('ab', { caret: 1 }), ['aXb']],
  ['in place of the selection', aField('abc', { caret: 3, selection: { start: 1, end: 3 } }), ['aX']],
  ['behind a letter of two UTF-16 units, counted in either way', aField('😀b', { caret: 2 }), ['😀bX', '😀Xb']],
  ['in a field whose caret is unknown', aField('ab', { caret: -1 }), ['abX']],
])('a text is typed %s', (_, field, expected) => expect(textsAfterTyping(field, 'X')).toEqual(expected));

test.each([
  ['the same text', aField('say "hi"'), { status: 'confirmed' }],
  ['a text view that ends with a line break', aField('say "hi"\n'), { status: 'confirmed' }],
  [
    'a proposed completion, which is selected',
    aField('say "hi" to all', { caret: 8, selection: { start: 8, end: 15 } }),
    { status: 'confirmed' },
  ],
  [
    'curled quotes',
    aField('say “hi”'),
    { status: 'different', difference: { position: 5, expected: '"hi"', actual: '“hi”' } },
  ],
  [
    'an empty field',
    aField(''),
    { status: 'different', difference: { position: 1, expected: 'say "hi"', actual: '' } },
  ],
  ['a password of the same length', aField('••••••••', { isSecret: true }), { status: 'confirmed' }],
  ['a shorter password', aField('•••', { isSecret: true }), { status: 'different' }],
])('%s', (_, actual, readback) => expect(readbackOf(actual, ['say "hi"'])).toEqual(readback));

test('embedded objects without published text leave the typed text unverified', () =>
  expect(readbackOf(aField('\uFFFC'), ['a'])).toMatchObject({ status: 'unverifiable' }));

test('a difference counts code points', () =>
  expect(firstDifference('😀😀a', '😀😀b')).toEqual({ position: 3, expected: 'a', actual: 'b' }));

test.each([
  ['$ ', '$ echo a\n', 'echo a', true],
  ['$ echo a\n$ ', '$ echo a\n$ ', 'echo a', false],
  ['$ ', '$ a long li\nne', 'a long line', true],
])('a terminal with %j, then %j', (initial, current, typed, isNew) =>
  expect(hasNewOccurrence(initial, current, typed)).toBe(isNew),
);
