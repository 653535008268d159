import { withContext, diffLines } from './line-diff.ts';

const diffText = (oldText: string, newText: string) =>
  diffLines(oldText, newText).map(({ kind, text }) => ({ same: ' ', added: '+', removed: '-' })[kind] + text);

test('lists removed and added lines in reading order', () => {
  expect(diffText('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(diffText('a\n', 'a')).toEqual([' a']);
  expect(diffText('', 'a')).toEqual(['-', '+a']);
});

test('omits lines far from a change', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => String(index));
  const lines = withContext(diffLines(numbers.join('\n'), numbers.with(10, 'x').join('\n')));
  expect(lines.map((line) => line && line.text)).toEqual([null, '7', '8', '9', '10', 'x', '11', '12', '13', null]);
  expect(withContext(diffLines('a', 'a'))).toEqual([null]);
});
