/** A series of measurements in the results. */
export interface Series {
  readonly count: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Percentile of the values (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Rounds to the precision of a measurement on a shared machine. */
export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

export const seriesOf = (values: readonly number[]): Series => ({
  count: values.length,
  min: round(Math.min(...values)),
  p50: round(median(values)),
  p95: round(percentile(values, 0.95)),
  p99: round(percentile(values, 0.99)),
  max: round(Math.max(...values)),
});
