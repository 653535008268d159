import { formatAgo, formatRemaining, formatHour } from './duration.ts';

const now = Date.parse('2026-01-02T12:00:00Z');
const timeAt = (seconds: number) => new Date(now + seconds * 1_000).toISOString();

test.each([
  [-90, '1 min ago'],
  [-4, 'just now'],
  // The clock of a worker may be ahead.
  [7, 'just now'],
  [3_600, 'just now'],
])('an event %d s from now was %s', (seconds, text) => expect(formatAgo(timeAt(seconds), now)).toBe(text));

test.each([
  [-90, '1 min ago'],
  [7, 'in 7 s'],
  [86_400 * 3, 'in 3 d'],
])('a date %d s from now is due %s', (seconds, text) => expect(formatRemaining(timeAt(seconds), now)).toBe(text));

test('hours are in UTC until the time zone of the viewer is known', () => {
  expect(formatHour(timeAt(0), false)).toBe('12:00 UTC');
  expect(formatHour(timeAt(0), true)).toMatch(/^\d\d:\d\d$/);
});
