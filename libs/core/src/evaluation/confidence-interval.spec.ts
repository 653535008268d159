import { differenceInterval, wilsonInterval } from './confidence-interval.ts';

describe('wilsonInterval', () => {
  // Values from Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%d of %d', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('reaches 1 when all trials succeed, and covers everything without trials', () => {
    expect(wilsonInterval(20, 20)).toEqual({ low: expect.closeTo(0.8389, 4), high: 1 });
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe('differenceInterval', () => {
  // Values from Newcombe (1998), "Interval estimation for the difference between independent proportions", table II, method 10.
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])('%d of %d against %d of %d', (successes, trials, otherSuccesses, otherTrials, low, high) => {
    const interval = differenceInterval({ successes: otherSuccesses, trials: otherTrials }, { successes, trials });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});
