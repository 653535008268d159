import { clean, pad, short, width } from './sanitize-text.ts';

describe('untrusted texts', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['a\r\n b\tc', 'a b c'],
    ['x\u009b2Jy\u0008', 'xy\uFFFD'],
    ['right\u202eleft', 'right\uFFFDleft'],
  ])('%j cannot act on the terminal', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['\u001b[1mbold\u001b[22m', 4],
    ['✓', 1],
    ['🚢', 2],
  ])('%j takes %d columns', (text, columns) => {
    expect(width(text)).toBe(columns);
  });

  test('cut text ends with an ellipsis and fits', () => {
    expect(short('mooring rope', 8)).toBe('mooring…');
    expect(short('mooring', 7)).toBe('mooring');
    expect(width(short('日本日本', 6))).toBeLessThanOrEqual(6);
  });

  test('padding counts columns, on either side', () => {
    expect(pad('日', 4)).toBe('日  ');
    expect(pad('7', 3, 'right')).toBe('  7');
  });
});
