import { beforeInputCodes, defaultRetryCodes, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import {
  DEFAULT_BACKOFF_SECONDS,
  MAX_BACKOFF_SECONDS,
  type StepRetryPolicy,
} from '@pilothouse/contract/workflow/step-retry.schema';
import { isNonIdempotent, type Step } from '@pilothouse/contract/workflow/step.schema';

/*
 * Retry of a step: a failed attempt is repeated after a backoff, up to `maxAttempts`. The attempt number is durable: an interrupted
 * attempt is not counted twice, and a failed one is not forgotten.
 */

/** An attempt of a step that failed. */
export interface FailedAttempt {
  readonly code: ErrorCode;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** True if the attempt may have sent input or a request. */
  readonly inputSent: boolean;
}

/** Seconds between a failed attempt and the next one. @param attempt number of the failed attempt, from 1 */
export const retryBackoffSeconds = (
  { backoffSeconds = DEFAULT_BACKOFF_SECONDS }: StepRetryPolicy,
  attempt: number,
): number => Math.min(MAX_BACKOFF_SECONDS, backoffSeconds * 2 ** (attempt - 1));

/** Error codes after which the policy allows another attempt. */
export const retriedCodes = ({ on }: Pick<StepRetryPolicy, 'on'>): ReadonlySet<ErrorCode> =>
  on ? new Set<ErrorCode>(on) : defaultRetryCodes;

/**
 * Seconds until the next attempt; null: the step has failed. A non-idempotent step is attempted again only if no input was sent.
 */
export function secondsToNextAttempt(step: Step, { code, attempt, inputSent }: FailedAttempt): number | null {
  const { retry } = step;
  if (!retry || attempt >= retry.maxAttempts || !retriedCodes(retry).has(code)) return null;
  if (isNonIdempotent(step) && inputSent) return null;
  return retryBackoffSeconds(retry, attempt);
}

/** Codes of a policy that never lead to another attempt of a non-idempotent step. */
export const codesAfterInput = (policy: Pick<StepRetryPolicy, 'on'>): ErrorCode[] =>
  [...retriedCodes(policy)].filter((code) => !beforeInputCodes.has(code));

/** The next attempt of a step. */
export interface NextAttempt {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Earliest start in milliseconds since the epoch; null: immediately. */
  readonly notBeforeMs: number | null;
}

/** Number of the next attempt. An interrupted attempt keeps its number; recovery decides how it continues. */
export function nextAttemptOf(step: Step, checkpoint: Checkpoint | undefined): NextAttempt {
  const { attempts = 1, status, failedAt } = checkpoint ?? {};
  if (status !== 'retrying') return { attempt: attempts, notBeforeMs: null };
  const backoffMs = step.retry ? retryBackoffSeconds(step.retry, attempts) * 1000 : 0;
  return { attempt: attempts + 1, notBeforeMs: failedAt === undefined ? null : Date.parse(failedAt) + backoffMs };
}
