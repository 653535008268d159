import { workerConfig } from './worker.config.ts';

const least = { PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway', PILOTHOUSE_FLEET_TOKEN: 'ft_0123456789abcdefghij' };

describe('the life of a browser', () => {
  test('has bounds without being asked', () =>
    expect(workerConfig(least).browser).toEqual({ maxRuns: 500, maxMegabytes: 3000 }));

  test('can be set', () => {
    const set = { PILOTHOUSE_BROWSER_MAX_RUNS: '1', PILOTHOUSE_BROWSER_MAX_MB: '800' };
    expect(workerConfig({ ...least, ...set }).browser).toEqual({ maxRuns: 1, maxMegabytes: 800 });
  });

  test.each([
    ['PILOTHOUSE_BROWSER_MAX_RUNS', '0', 'from 1 to'],
    ['PILOTHOUSE_BROWSER_MAX_MB', 'much', 'from 100 to'],
  ])('%s cannot be %s', (name, value, hint) =>
    expect(() => workerConfig({ ...least, [name]: value })).toThrow(
      expect.objectContaining({ problems: [expect.stringMatching(`${name}.*${hint}`)] }),
    ),
  );
});
