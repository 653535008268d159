import { extractTimeLimit } from './time-limit.ts';

test.each([
  [['--retry-flaky', '--time-limit', '50', 'libs/core']],
  [['--retry-flaky', '--time-limit=50', 'libs/core']],
])('removes the option and its value from %j', (args) => {
  const { timeLimit, rest } = extractTimeLimit(args);
  expect(rest).toEqual(['--retry-flaky', 'libs/core']);
  expect(timeLimit?.hasExpired()).toBe(false);
});

test('without the option there is no limit', () => {
  expect(extractTimeLimit(['libs/core'])).toEqual({ timeLimit: null, rest: ['libs/core'] });
});

test('expires after its minutes, and later with a grace time', () => {
  let now = 5_000;
  const { timeLimit } = extractTimeLimit(['--time-limit', '2'], () => now);
  now += 119_999;
  expect(timeLimit?.hasExpired()).toBe(false);
  now += 1;
  expect([timeLimit?.hasExpired(), timeLimit?.hasExpired({ graceMinutes: 1 })]).toEqual([true, false]);
  now += 60_000;
  expect(timeLimit?.hasExpired({ graceMinutes: 1 })).toBe(true);
});

test.each([['0'], ['-1'], ['soon'], [undefined]])('rejects the value %s', (value) => {
  const args = ['--time-limit', ...(value === undefined ? [] : [value])];
  expect(() => extractTimeLimit(args)).toThrow('--time-limit needs a number of minutes greater than 0');
});
