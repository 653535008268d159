import { withContext, diffLines } from './line-diff.ts';

const diffText = (oldText: string, newText: string) =>
  diffLines(oldText, newText).map(({ kind, text }) => ({ same: ' ', added: '+', removed: '-' })[kind] + text);

test('lists removed and added lines in reading order', () => {
  expect(diffText('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(diffText('a\n', 'a')).toEqual([' a']);
  expect(diffText('', 'a')).toEqual(['-', '+a']);
  expect(diffText('a\nb', 'a\nb\na\nb')).toEqual([' a', ' b', '+a', '+b']);
  expect(diffText('a\na\na', 'a\na')).toEqual([' a', ' a', '-a']);
  expect(diffText('a\nb\nc\nd\ne', 'a\nc\nx\ne')).toEqual([' a', '-b', ' c', '-d', '+x', ' e']);
});

test('omits lines far from a change', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => String(index));
  const lines = withContext(diffLines(numbers.join('\n'), numbers.with(10, 'x').join('\n')));
  expect(lines.map((line) => line && line.text)).toEqual([null, '7', '8', '9', '10', 'x', '11', '12', '13', null]);
  expect(withContext(diffLines('a', 'a'))).toEqual([null]);
});

describe('texts of 40,000 lines', () => {
  const numbers = Array.from({ length: 40_000 }, (_, index) => String(index));
  const compare = (newLines: readonly string[]) => {
    // CPU time does not depend on the load of the machine.
    const start = process.cpuUsage();
    const lines = diffLines(numbers.join('\n'), newLines.join('\n'));
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
    return lines;
  };
  const count = (lines: ReturnType<typeof compare>) =>
    ['same', 'removed', 'added'].map((kind) => lines.filter((line) => line.kind === kind).length);

  test('changed lines close together are compared', () =>
    expect(count(compare(numbers.with(20_000, 'x').with(20_002, 'y')))).toEqual([39_998, 2, 2]));

  test('without common lines, the whole text is replaced', () =>
    expect(count(compare(numbers.map((line) => `x${line}`)))).toEqual([0, 40_000, 40_000]));

  test('the common start and end stay', () =>
    expect(count(compare(numbers.map((line, index) => (index % 39_999 === 0 ? line : `x${line}`))))).toEqual([
      2, 39_998, 39_998,
    ]));
});
