import { PilothouseError } from '@pilothouse/contract';
import { consequenceOf } from '@pilothouse/core';

/** Errors that end a run whatever it would catch. */
const neverCaught: ReadonlySet<string> = new Set([
  'BUDGET_EXCEEDED',
  'INTERNAL',
  'PROFILE_NOT_FOUND',
  'STEP_STATUS_UNKNOWN',
  'WORKER_LOST',
]);

/** Whether a workflow may go on after an error: what hands the run back or cancels it is none of its own. */
export const isCatchable = ({ code }: PilothouseError): boolean =>
  consequenceOf(code) === 'fail' && !neverCaught.has(code);

/** Errors of a gateway, or of what it stands on, that is away for the moment. */
const away: ReadonlySet<string> = new Set(['UNAVAILABLE', 'INTERNAL']);

/** Whether the gateway may answer the same question a moment later. */
export const isTransient = (thrown: unknown): boolean => thrown instanceof PilothouseError && away.has(thrown.code);
