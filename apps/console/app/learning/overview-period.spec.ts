import { fillDays, firstDayOf, periodOf } from './overview-period.ts';

const now = Date.parse('2026-03-02T23:59:00Z');

test.each([
  ['days=7', 7],
  ['days=90', 90],
  ['', 30],
  ['days=365', 30],
  ['days=7%200', 30],
])('the period of %j has %d days', (search, days) => expect(periodOf(new URLSearchParams(search))).toBe(days));

test('a period ends today and has one entry for each day', () => {
  expect(firstDayOf(7, now)).toBe('2026-02-24');
  const days = fillDays([{ day: '2026-03-01', good: 2 }], 7, now, { good: 0 });
  expect(days.map(({ day, good }) => `${day.slice(5)} ${good}`)).toEqual([
    '02-24 0',
    '02-25 0',
    '02-26 0',
    '02-27 0',
    '02-28 0',
    '03-01 2',
    '03-02 0',
  ]);
});
