import { z } from 'zod';
import { defaultRetryCodes, errorCodes, retryableStepCodes } from '../errors/error-codes.ts';
import { nearestWords } from '../nearest.ts';

/** Maximum attempts of a step, and maximum delay between two of them, in seconds. */
export const MAX_STEP_ATTEMPTS = 10;
export const MAX_BACKOFF_SECONDS = 60;

/** Default delay before the second attempt, in seconds. */
export const DEFAULT_BACKOFF_SECONDS = 1;

const CODES = retryableStepCodes.join(', ');

/** Reason why a code is not allowed in `on`. */
function codeProblem(code: unknown): string {
  const name = String(code);
  if ((errorCodes as readonly string[]).includes(name))
    return `A step cannot be retried after ${name}: use one of ${CODES}`;
  const [near] = nearestWords(name, retryableStepCodes);
  return near === undefined
    ? `Unknown error code "${name}": use one of ${CODES}`
    : `Unknown error code "${name}": did you mean ${near}?`;
}

/** Retry policy of a step: error codes, delays and maximum number of attempts. */
export const stepRetrySchema = z
  .strictObject({
    maxAttempts: z
      .int()
      .min(2, 'Use at least 2: the first attempt counts')
      .max(MAX_STEP_ATTEMPTS)
      .describe('Total number of attempts, including the first: 2 to 10'),
    backoffSeconds: z
      .number()
      .min(0)
      .max(MAX_BACKOFF_SECONDS)
      .optional()
      .describe(
        `Delay before the second attempt in seconds (default: ${DEFAULT_BACKOFF_SECONDS}). It doubles before each further attempt, up to ${MAX_BACKOFF_SECONDS}`,
      ),
    on: z
      .array(z.enum(retryableStepCodes, { error: ({ input }) => codeProblem(input) }))
      .min(1, 'Give at least one error code')
      .optional()
      .describe(`Error codes to retry after (default: ${[...defaultRetryCodes].join(', ')})`),
  })
  .meta({ id: 'StepRetry', description: 'Retry policy of a step' });
export type StepRetryPolicy = z.infer<typeof stepRetrySchema>;
