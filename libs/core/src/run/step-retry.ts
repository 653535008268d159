import {
  beforeInputCodes,
  DEFAULT_BACKOFF_SECONDS,
  defaultRetryCodes,
  isNonIdempotent,
  MAX_BACKOFF_SECONDS,
  type Checkpoint,
  type ErrorCode,
  type Step,
  type StepRetryPolicy,
} from '@pilothouse/contract';

/*
 * Retry of a step: a failed attempt is followed by another one, after a backoff, until `maxAttempts` began. The number of attempts is durable:
 * an attempt that a lost worker leaves unfinished is not counted twice, and one that failed is not forgotten.
 */

/** An attempt of a step that failed. */
export interface FailedAttempt {
  readonly code: ErrorCode;
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** Whether input, or a request, may have been sent in it. */
  readonly inputSent: boolean;
}

/** Seconds between a failed attempt and the next one. @param attempt number of the failed attempt, from 1 */
export const retryBackoffSeconds = (
  { backoffSeconds = DEFAULT_BACKOFF_SECONDS }: StepRetryPolicy,
  attempt: number,
): number => Math.min(MAX_BACKOFF_SECONDS, backoffSeconds * 2 ** (attempt - 1));

/** Error codes after which a step is attempted again, as far as its policy goes. */
export const retriedCodes = ({ on }: Pick<StepRetryPolicy, 'on'>): ReadonlySet<ErrorCode> =>
  on ? new Set<ErrorCode>(on) : defaultRetryCodes;

/**
 * Seconds after which a step is attempted again; null: it has failed. A step that is not idempotent is attempted again only where no input
 * was sent.
 */
export function secondsToNextAttempt(step: Step, { code, attempt, inputSent }: FailedAttempt): number | null {
  const { retry } = step;
  if (!retry || attempt >= retry.maxAttempts || !retriedCodes(retry).has(code)) return null;
  if (isNonIdempotent(step) && inputSent) return null;
  return retryBackoffSeconds(retry, attempt);
}

/** Codes of a policy that a step which is not idempotent is never attempted again after. */
export const codesAfterInput = (policy: Pick<StepRetryPolicy, 'on'>): ErrorCode[] =>
  [...retriedCodes(policy)].filter((code) => !beforeInputCodes.has(code));

/** The attempt of a step that comes. */
export interface NextAttempt {
  /** Which attempt it is, from 1. */
  readonly attempt: number;
  /** When it may begin, in milliseconds since the epoch; null: at once. */
  readonly notBeforeMs: number | null;
}

/**
 * The attempt that comes, after what former attempts at the run left. An attempt that was not finished is done again under its own number: how
 * that goes on is for the recovery to say.
 */
export function nextAttemptOf(step: Step, checkpoint: Checkpoint | undefined): NextAttempt {
  const { attempts = 1, status, failedAt } = checkpoint ?? {};
  if (status !== 'retrying') return { attempt: attempts, notBeforeMs: null };
  const backoffMs = step.retry ? retryBackoffSeconds(step.retry, attempts) * 1000 : 0;
  return { attempt: attempts + 1, notBeforeMs: failedAt === undefined ? null : Date.parse(failedAt) + backoffMs };
}
