import { formatKappa, goodShare } from './trace-quality.ts';

test.each([
  [{ good: 0, bad: 0 }, '—'],
  [{ good: 3, bad: 1 }, '75%'],
  [{ good: 0, bad: 4 }, '0%'],
  [{ good: 999, bad: 1 }, '99%'],
  [{ good: 5, bad: 0 }, '100%'],
])('the good share of %j is %s', (counts, text) => expect(goodShare(counts)).toBe(text));

test.each([
  [null, '—'],
  [1, '1.00'],
  [-0.254, '-0.25'],
])('κ %d is written as %s', (kappa, text) => expect(formatKappa(kappa)).toBe(text));
