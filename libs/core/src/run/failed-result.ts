import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { failedResult, interruptedResult, type Result } from '@pilothouse/contract/run/outcome';

/**
 * Result of a step or an action that ended with an error.
 * @param isInputSent true if input may have been sent before the error
 */
export function resultOfError(
  { code, details }: Pick<PilothouseError, 'code' | 'details'>,
  isInputSent: boolean,
): Result {
  if (code === 'STEP_STATUS_UNKNOWN') return failedResult(true);
  const isInterrupted = code === 'RUN_CANCELLED' || code === 'RUN_HANDED_BACK' || details?.['endedBy'] !== undefined;
  return isInterrupted ? interruptedResult(isInputSent) : failedResult(isInputSent);
}
