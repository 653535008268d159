import { takeTimeLimit } from './time-limit.ts';

test('the option and its value are taken from the arguments', () => {
  expect(takeTimeLimit(['--retry-flaky', '--time-limit', '50', 'libs/core']).rest).toEqual([
    '--retry-flaky',
    'libs/core',
  ]);
  expect(takeTimeLimit(['libs/core'])).toEqual({ timeLimit: null, rest: ['libs/core'] });
});

test('the limit is over after its minutes, with a grace time after both', () => {
  let now = 5_000;
  const { timeLimit } = takeTimeLimit(['--time-limit', '2'], () => now);
  now += 119_999;
  expect(timeLimit?.isOver()).toBe(false);
  now += 1;
  expect([timeLimit?.isOver(), timeLimit?.isOver({ graceMinutes: 1 })]).toEqual([true, false]);
  now += 60_000;
  expect(timeLimit?.isOver({ graceMinutes: 1 })).toBe(true);
});

test.each([['0'], ['-1'], ['soon'], [undefined]])('the value %s is refused', (value) => {
  const args = ['--time-limit', ...(value === undefined ? [] : [value])];
  expect(() => takeTimeLimit(args)).toThrow('--time-limit needs a number of minutes greater than 0');
});
