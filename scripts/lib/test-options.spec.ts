import { readTestOptions } from './test-options.ts';

test.each([
  [['--retry-flaky', '--time-limit', '50', 'libs/core']],
  [['--retry-flaky', '--time-limit=50', 'libs/core']],
])('separates options and patterns of %j', (args) => {
  const { timeLimit, patterns, isRetrying, jestOptions } = readTestOptions(args);
  expect({ patterns, isRetrying, jestOptions }).toEqual({ patterns: ['libs/core'], isRetrying: true, jestOptions: [] });
  expect(timeLimit?.hasExpired()).toBe(false);
});

test('options of jest keep their values, and patterns are not options', () => {
  const { patterns, jestOptions } = readTestOptions(['-t', 'a name', 'libs/core', '--maxWorkers=1', '--verbose']);
  expect({ patterns, jestOptions }).toEqual({
    patterns: ['libs/core'],
    jestOptions: ['-t', 'a name', '--maxWorkers=1', '--verbose'],
  });
});

test('without options there is no limit, and everything runs', () => {
  expect(readTestOptions([])).toEqual({
    patterns: [],
    jestOptions: [],
    since: null,
    included: [],
    timeLimit: null,
    isRetrying: false,
    hasTimes: false,
  });
});

test('names the commit of the comparison', () => {
  expect(readTestOptions(['--since', 'abc1234', '--times'])).toMatchObject({ since: 'abc1234', hasTimes: true });
  expect(() => readTestOptions(['--since'])).toThrow('--since needs a commit');
});

test('names spec files that run in addition to those of the comparison', () => {
  const args = ['--since', 'abc1234', '--include', 'libs/a.spec.ts', '--include=libs/b.spec.ts'];
  expect(readTestOptions(args)).toMatchObject({ included: ['libs/a.spec.ts', 'libs/b.spec.ts'], patterns: [] });
  expect(() => readTestOptions(args.slice(2))).toThrow('--include needs --since COMMIT');
});

test('expires after its minutes, and later with a grace time', () => {
  let now = 5_000;
  const { timeLimit } = readTestOptions(['--time-limit', '2'], () => now);
  expect(timeLimit?.endsAt).toBe(125_000);
  now += 119_999;
  expect(timeLimit?.hasExpired()).toBe(false);
  now += 1;
  expect([timeLimit?.hasExpired(), timeLimit?.hasExpired({ graceMinutes: 1 })]).toEqual([true, false]);
  now += 60_000;
  expect(timeLimit?.hasExpired({ graceMinutes: 1 })).toBe(true);
});

test.each([['0'], ['-1'], ['soon'], [undefined]])('rejects the value %s', (value) => {
  const args = ['--time-limit', ...(value === undefined ? [] : [value])];
  expect(() => readTestOptions(args)).toThrow('--time-limit needs a number of minutes greater than 0');
});
