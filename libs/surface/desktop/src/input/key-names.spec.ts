import { parseKeyChord, toModifierKeys } from './key-names.ts';

test.each([
  ['Enter', { modifiers: [], key: 'Return' }],
  ['ArrowDown', { modifiers: [], key: 'Down' }],
  ['F12', { modifiers: [], key: 'F12' }],
  ['a', { modifiers: [], key: 'A' }],
  ['A', { modifiers: ['LeftShift'], key: 'A' }],
  ['7', { modifiers: [], key: 'Num7' }],
  ['Control+A', { modifiers: ['LeftControl'], key: 'A' }],
  ['ControlOrMeta+Shift+S', { modifiers: ['LeftControl', 'LeftShift'], key: 'S' }],
  ['Control+-', { modifiers: ['LeftControl'], key: 'Minus' }],
  ['Shift', { modifiers: [], key: 'LeftShift' }],
])('%s is a chord', (text, chord) => expect(parseKeyChord(text)).toEqual(chord));

test.each(['ä', 'Ctrl+A', 'F25', 'constructor', 'Control+constructor', 'Control++', ''])('%s names no key', (text) =>
  expect(parseKeyChord(text)).toBeNull(),
);

test('modifiers of the contract are keys', () => {
  expect(toModifierKeys(['Shift', 'ControlOrMeta', 'Meta'])).toEqual(['LeftShift', 'LeftControl', 'LeftSuper']);
});
