/* Confidence intervals of success rates. Both methods are valid for small counts and for rates of 0 and 1. */

/** 97.5 % quantile of the normal distribution: two-sided 95 %. */
const Z_95 = 1.959963984540054;

/** Bounds of an interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * 95 % confidence interval of a success rate, by Wilson (1927).
 * @param trials 1 or more
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 };
  const rate = successes / trials;
  const z2 = Z_95 * Z_95;
  const denominator = 1 + z2 / trials;
  const center = (rate + z2 / (2 * trials)) / denominator;
  const margin = (Z_95 * Math.sqrt((rate * (1 - rate)) / trials + z2 / (4 * trials * trials))) / denominator;
  return {
    low: successes === 0 ? 0 : Math.max(0, center - margin),
    high: successes === trials ? 1 : Math.min(1, center + margin),
  };
}

/** Successes of a number of trials. */
export interface SuccessCount {
  readonly successes: number;
  readonly trials: number;
}

/** 95 % confidence interval of the difference of two success rates (second minus first), by Newcombe (1998), method 10. */
export function differenceInterval(first: SuccessCount, second: SuccessCount): Interval {
  const [firstInterval, secondInterval] = [
    wilsonInterval(first.successes, first.trials),
    wilsonInterval(second.successes, second.trials),
  ];
  const firstRate = first.trials > 0 ? first.successes / first.trials : 0;
  const secondRate = second.trials > 0 ? second.successes / second.trials : 0;
  const difference = secondRate - firstRate;
  return {
    low: Math.max(-1, difference - Math.hypot(secondRate - secondInterval.low, firstInterval.high - firstRate)),
    high: Math.min(1, difference + Math.hypot(secondInterval.high - secondRate, firstRate - firstInterval.low)),
  };
}
