import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { consequenceOf } from '@pilothouse/core/run/run-recovery';

/** Worker behavior for an error code. */
type ErrorTrait =
  /** The gateway, or a dependency of it, is unavailable: the same request may succeed later. */
  | 'transient'
  /** Ends the run even where the workflow catches errors. */
  | 'uncatchable'
  /** The locators of a step match no element, or several. */
  | 'healable'
  /** A condition does not hold. */
  | 'false-condition'
  /** A page or a request did not get through. */
  | 'network'
  /** A blocked connection may be the reason. */
  | 'needs-connection';

const errorPolicy: { readonly [Code in ErrorCode]?: readonly ErrorTrait[] } = {
  BUDGET_EXCEEDED: ['uncatchable'],
  CONDITION_NOT_MET: ['false-condition', 'needs-connection'],
  INTERNAL: ['transient', 'uncatchable'],
  NAVIGATION_FAILED: ['network'],
  PROFILE_NOT_FOUND: ['uncatchable'],
  REQUEST_FAILED: ['network'],
  STEP_STATUS_UNKNOWN: ['uncatchable'],
  STEP_TIMED_OUT: ['false-condition', 'needs-connection'],
  TARGET_AMBIGUOUS: ['healable'],
  TARGET_NOT_ACTIONABLE: ['needs-connection'],
  TARGET_NOT_FOUND: ['healable', 'false-condition', 'needs-connection'],
  UNAVAILABLE: ['transient'],
  WORKER_LOST: ['uncatchable'],
};

const hasTrait = (code: ErrorCode, trait: ErrorTrait): boolean => errorPolicy[code]?.includes(trait) ?? false;

/** True when a workflow may continue after the error. An error that hands the run back or cancels it cannot be caught. */
export const isCatchable = ({ code }: PilothouseError): boolean =>
  consequenceOf(code) === 'fail' && !hasTrait(code, 'uncatchable');

/** True when the gateway may answer the same request later. */
export const isTransient = (thrown: unknown): boolean =>
  thrown instanceof PilothouseError && hasTrait(thrown.code, 'transient');

/** True when another element may replace the one that a step names. */
export const isHealable = (code: ErrorCode): boolean => hasTrait(code, 'healable');

/** True when the error says that a condition does not hold. */
export const isFalseCondition = (thrown: unknown): boolean =>
  thrown instanceof PilothouseError && hasTrait(thrown.code, 'false-condition');

export const isNetworkError = (code: ErrorCode): boolean => hasTrait(code, 'network');

export const canFailWithoutConnection = (code: ErrorCode): boolean => hasTrait(code, 'needs-connection');
