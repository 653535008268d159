import { styleFor, supportsColor } from './text-style.ts';

describe('colors', () => {
  test('surround the text with codes, or leave it unchanged if disabled', () => {
    expect(styleFor(true).red('no')).toBe('\u001b[31mno\u001b[39m');
    expect(styleFor(true).red('')).toBe('');
    expect(styleFor(false).red('no')).toBe('no');
  });

  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('a stream with isTTY=%s and %j gets them: %s', (isTTY, environment, expected) => {
    expect(supportsColor({ isTTY }, environment)).toBe(expected);
  });
});
