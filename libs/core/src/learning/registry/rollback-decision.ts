import { wilsonInterval, type SuccessCount } from '../../evaluation/confidence-interval.ts';

/** Number of last runs with a model that are compared. */
export const ROLLBACK_RUNS = 20;

/** Minimum number of runs with the model for a rollback. */
const MIN_CANDIDATE_RUNS = 5;

/** Minimum number of runs without the model for a rollback. */
export const MIN_BASE_RUNS = 10;

/**
 * Decides whether a model is rolled back.
 * @param candidate the last runs with the model, at most `ROLLBACK_RUNS`
 * @param base runs without it
 * @returns the reason; null: it stays
 */
export function rollbackReason(candidate: SuccessCount, base: SuccessCount): string | null {
  if (base.trials < MIN_BASE_RUNS || candidate.trials < MIN_CANDIDATE_RUNS) return null;
  const baseInterval = wilsonInterval(base.successes, base.trials);
  const rate = candidate.successes / candidate.trials;
  const isIntervalBelow = wilsonInterval(candidate.successes, candidate.trials).high < baseInterval.low;
  const isRateBelow = candidate.trials >= ROLLBACK_RUNS && rate < baseInterval.low;
  if (!isIntervalBelow && !isRateBelow) return null;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return (
    `${candidate.successes} of the last ${candidate.trials} runs succeeded (${percent(rate)}), ` +
    `below the interval ${percent(baseInterval.low)} to ${percent(baseInterval.high)} of ${base.trials} runs without the model`
  );
}
