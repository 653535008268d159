import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { MAX_JOB_ATTEMPTS } from '@pilothouse/contract/job/job.schema';
import { jobRetryDelayMs } from './job-retry.ts';

test.each<[ErrorCode, number, number | null]>([
  ['INTERNAL', 1, 10_000],
  ['INTERNAL', 2, 20_000],
  ['UNAVAILABLE', 4, 80_000],
  ['MODEL_UNAVAILABLE', 1, 10_000],
  ['UPLOAD_FAILED', 3, 40_000],
  ['INTERNAL', MAX_JOB_ATTEMPTS, null],
  ['BUDGET_EXCEEDED', 1, null],
  ['VALIDATION_FAILED', 1, null],
  ['MODEL_NOT_CONFIGURED', 1, null],
])('after %s in attempt %i, the next attempt starts in %p ms', (code, attempts, delayMs) => {
  expect(jobRetryDelayMs(attempts, { code }, () => 1)).toBe(delayMs);
});
