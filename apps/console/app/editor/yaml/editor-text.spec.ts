import { Text } from '@codemirror/state';
import { diagnosticsOf, positionOf, replacementOf } from './editor-text.ts';

const doc = Text.of(['name: a', 'steps:', '  - action: fly']);

test.each([
  [1, 1, 0],
  [3, 13, 27],
  [2, 99, 14],
  [9, 1, 15],
])('line %i and column %i are at offset %i', (line, column, offset) =>
  expect(positionOf(doc, line, column)).toBe(offset),
);

test('a problem is marked from its position to the end of the line', () =>
  expect(diagnosticsOf(doc, [{ line: 3, column: 13, pointer: '/steps/0/action', detail: 'Unknown action' }])).toEqual([
    { from: 27, to: 30, severity: 'error', message: 'Unknown action' },
  ]));

test.each([
  ['abc', 'abc', null],
  ['abc', 'axc', { from: 1, to: 2, insert: 'x' }],
  ['aa', 'aaa', { from: 2, to: 2, insert: 'a' }],
  ['', 'new', { from: 0, to: 0, insert: 'new' }],
  ['a\nb\nc', 'a\nc', { from: 2, to: 4, insert: '' }],
])('%j becomes %j with the smallest change', (oldText, newText, change) =>
  expect(replacementOf(oldText, newText)).toEqual(change),
);
