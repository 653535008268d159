import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

/** Returns the message of a Playwright error without its call log. */
export const playwrightMessage = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.replace(/^[\w.]+: (?:Error: )?/, '') ?? '';

/** Converts an error of Playwright to an error of the catalog. */
export function toSurfaceError(error: unknown): PilothouseError {
  const message = playwrightMessage(error);
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new PilothouseError('STEP_TIMED_OUT', `The browser did not answer within the time of the step: ${message}`);
  }
  return new PilothouseError('TARGET_NOT_ACTIONABLE', `The browser rejected the action: ${message}`, { cause: error });
}
