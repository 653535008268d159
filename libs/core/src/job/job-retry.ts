import { errorDefinition } from '@pilothouse/contract/errors/error-codes';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_JOB_ATTEMPTS } from '@pilothouse/contract/job/job.schema';
import { backoffMs, type Backoff } from '../time/backoff.ts';

/** Delays between the attempts of a background job: 10 s to 5 min. */
export const jobBackoff: Backoff = { firstMs: 10_000, maxMs: 300_000, jitter: 0.2 };

/**
 * Milliseconds until the next attempt of a failed job; null: no further attempt. Errors that are retried for requests or
 * steps are also retried for jobs.
 * @param attempts attempts so far, 1 or more
 * @param random a number between 0 and 1
 */
export function jobRetryDelayMs(
  attempts: number,
  { code }: Pick<ErrorView, 'code'>,
  random: () => number,
): number | null {
  const { retry, stepRetry } = errorDefinition(code);
  const isRetryable = retry !== 'no' || stepRetry === 'default';
  return isRetryable && attempts < MAX_JOB_ATTEMPTS ? backoffMs(jobBackoff, attempts, random) : null;
}
