import { errorDefinition } from '@pilothouse/contract/errors/error-codes';
import { isEndedAtTuner } from '@pilothouse/contract/job/job-rules';
import type { Job } from '@pilothouse/contract/job/job.schema';

/** Measure against the error of a job; null: its message names it. */
export function jobAdviceOf(job: Job): string | null {
  if (job.error === null) return null;
  if (isEndedAtTuner(job)) return 'Read the log of the tuning job, then start it again with other values.';
  // The general advice of an invalid request names fields of an answer that the page does not show.
  return job.error.code === 'VALIDATION_FAILED' ? null : errorDefinition(job.error.code).help;
}
