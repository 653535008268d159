import { styleFor } from './text-style.ts';
import { pairs, table } from './text-table.ts';
import { width } from './sanitize-text.ts';

const plain = styleFor(false);

test('columns are aligned with their heads, numbers to the right', () => {
  const lines = table(
    [{ head: 'sku' }, { head: 'price', align: 'right' }],
    [
      ['ROPE-1', '9.5'],
      ['日本', '1234.5'],
    ],
    plain,
  );
  expect(lines).toEqual(['sku      price', 'ROPE-1     9.5', '日本    1234.5']);
});

test('styles do not shift columns', () => {
  const style = styleFor(true);
  const [, row] = table([{ head: 'status' }, { head: 'x' }], [[style.green('ok'), '1']], style);
  expect(row).toBe('\u001b[32mok\u001b[39m      1');
});

test('on a narrow terminal the widest shrinkable column is cut', () => {
  const id = '0197f3c2-1a2b';
  const lines = table(
    [{ head: 'run' }, { head: 'title', canShrink: true }],
    [[id, 'a title that goes on and on']],
    plain,
    30,
  );
  expect(lines[1]).toBe(`${id}  a title that g…`);
  expect(lines.every((line) => width(line) <= 30)).toBe(true);
});

test('a fixed column exceeds the terminal instead of being cut', () => {
  expect(table([{ head: 'url' }], [['http://127.0.0.1/long']], plain, 5)[1]).toBe('http://127.0.0.1/long');
});

test('pairs align their values', () => {
  expect(
    pairs(
      [
        ['a', '1'],
        ['long', '2'],
      ],
      plain,
    ),
  ).toEqual(['a     1', 'long  2']);
});
