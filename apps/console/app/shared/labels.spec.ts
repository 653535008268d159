import { dollars, short, shortId, size } from './number-format.ts';
import { formatAgo, formatDuration } from './duration.ts';

test.each([
  [820, '820 ms'],
  [4_240, '4.2 s'],
  [192_000, '3 min 12 s'],
  [600_000, '10 min'],
  [7_200_000, '2 h'],
  [7_500_000, '2 h 5 min'],
])('%d milliseconds are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [1_000, 'just now'],
  [59_000, '59 s ago'],
  [3_600_000, '1 h ago'],
  [-90_000, 'just now'],
])('an event %d milliseconds ago was %s', (ms, text) =>
  expect(formatAgo(new Date(1e12 - ms).toISOString(), 1e12)).toBe(text),
);

test('numbers are abbreviated', () => {
  expect([dollars(0), dollars(0.00042), dollars(1.5)]).toEqual(['$0', '$0.00042', '$1.50']);
  expect([short(9_999), short(12_400)]).toEqual(['9,999', '12.4K']);
  expect([size(0), size(999), size(1_400_000)]).toEqual(['0 B', '999 B', '1.4 MB']);
  expect(shortId('01a2031b-dfd6-7906-91ca-4d43466d4ad7')).toBe('01a2031b-dfd6');
});
