import { styleFor } from './text-style.ts';
import { inShort, json, valueLines } from './value-text.ts';

const plain = styleFor(false);

test.each([
  ['HS-1042', '"HS-1042"'],
  [1234.5, '1234.5'],
  [null, 'null'],
  [[], 'nothing'],
  [[{ sku: 'A', price: 1 }], '1 row (sku, price)'],
  [[1, 2, 3, 4, 5, 6], '6 values: 1, 2, 3, 4, 5, …'],
  [{ sku: 'A', price: 1 }, '{sku, price}'],
  ['\u001b[2Jgone', '"gone"'],
])('%j is in short %s', (value, text) => {
  expect(inShort(value)).toBe(text);
});

test('an array of flat objects is a table, with a column for every field that occurs', () => {
  const rows: Record<string, string | number | null>[] = [
    { sku: 'A', price: 9.5 },
    { sku: 'B', price: 12, note: null },
    { sku: 'C', note: 'x' },
  ];
  expect(valueLines(rows, plain)).toEqual(['sku  price  note', 'A      9.5  -', 'B       12  -', 'C        -  x']);
});

test('an object shows its fields, tables inside of it as tables', () => {
  expect(valueLines({ order: 'HS-1', rows: [{ a: 1 }], more: { deep: [1, [2]] } }, plain)).toEqual([
    'order  HS-1',
    'rows (1 row)',
    '  a',
    '  1',
    'more',
    '  deep:',
    '    - 1',
    '    - - 2',
  ]);
});

test('a text of several lines is a block', () => {
  expect(valueLines('one\r\n  two\u001b[2J\nthree\n', plain)).toEqual(['one', '  two', 'three']);
  expect(valueLines({ note: 'one\ntwo', sku: 'A' }, plain)).toEqual(['note', '  one', '  two', 'sku   A']);
});

test('long tables are cut and say so', () => {
  const lines = valueLines(
    Array.from({ length: 70 }, (_, n) => ({ n })),
    plain,
  );
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('… and 50 more rows; --json shows all');
});

test.each([
  [['\u001b[31mred\u001b]0;t\u0007']],
  [{ '\u001b[2Jkey': { deep: 'a\u009b2Jb' } }],
  [[{ a: '\u001b[1A\r\n' }]],
])('nothing in %j reaches the terminal as a control', (value) => {
  // The test looks for control characters.
  expect(valueLines(value, plain).join('')).not.toMatch(/\p{Cc}/u);
});

test('JSON output escapes the control characters that JSON allows', () => {
  expect(json({ a: '\u009b2J\u001b' }, 'one')).toBe('{"a":"\\u009b2J\\u001b"}');
  expect(JSON.parse(json({ a: '\u009b\u2028' }))).toEqual({ a: '\u009b\u2028' });
});
