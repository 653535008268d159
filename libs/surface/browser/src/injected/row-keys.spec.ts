import { distinctKeys, isVolatile } from './row-keys.ts';

test.each([
  ['7', true],
  ['1,204.50 EUR', true],
  ['85 %', true],
  ['14:05', true],
  ['2026-11-29', true],
  ['3 days ago', true],
  ['10443', false],
  ['PO-7', false],
  ['INV 2044', false],
  ['Ada Lovelace', false],
])('text %p of an item changes while the item stays the same: %p', (text, expected) => {
  expect(isVolatile(text)).toBe(expected);
});

test('keys of an item are the texts that no sibling has', () => {
  const items = [
    ['Ada', 'Open'],
    ['Bob', 'Open'],
    ['Eve', 'Open'],
  ];
  expect(distinctKeys(items[1] ?? [], items)).toEqual(['Bob']);
});

test('a text that differs in every item comes before a state that only this item has', () => {
  const items = [
    ['Closed', 'Ada'],
    ['Open', 'Bob'],
    ['Open', 'Eve'],
  ];
  expect(distinctKeys(items[0] ?? [], items)).toEqual(['Ada', 'Closed']);
});

test('a text that repeats in its item is one key, and a text elsewhere in a sibling is none', () => {
  expect(distinctKeys(['Ada', 'Ada'], [['Ada', 'Ada'], ['Bob']])).toEqual(['Ada']);
  expect(
    distinctKeys(
      ['Ada', 'Bob'],
      [
        ['Ada', 'Bob'],
        ['Eve', 'Ada'],
      ],
    ),
  ).toEqual(['Bob']);
});
