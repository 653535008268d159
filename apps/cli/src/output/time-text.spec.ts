import { duration, localTime, parseDuration, relative } from './time-text.ts';

test.each([
  [0, '0.0 s'],
  [0.84, '0.8 s'],
  [9.96, '10 s'],
  [31.4, '31 s'],
  [59.6, '1 min 00 s'],
  [65, '1 min 05 s'],
  [7380, '2 h 03 min'],
  [3599.9, '1 h 00 min'],
  [273_600, '3 d 4 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test.each([
  ['45', 45],
  ['45s', 45],
  ['30m', 1800],
  ['1.5h', 5400],
  ['90d', 7_776_000],
  ['2w', 1_209_600],
  ['soon', null],
  ['-5', null],
  ['5 months', null],
])('%j means %j seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each([
  ['2026-05-04T12:00:00.000Z', 'just now'],
  ['2026-05-04T11:59:20.000Z', '40 s ago'],
  ['2026-05-04T11:56:00.000Z', '4 min ago'],
  ['2026-05-07T12:00:00.000Z', 'in 3 d'],
  ['2025-01-02T12:00:00.000Z', '2025-01-02'],
])('%s is %s', (instant, text) => {
  expect(relative(instant, new Date('2026-05-04T12:00:00.000Z'))).toBe(text);
});

test('an instant keeps its milliseconds', () => {
  expect(localTime('2026-05-04T12:03:04.123Z')).toMatch(/^2026-05-0\d \d\d:\d\d:04\.123$/);
});
