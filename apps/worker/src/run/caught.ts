import type { PilothouseError } from '@pilothouse/contract';
import { consequenceOf } from '@pilothouse/core';

/** Errors that end a run whatever it would catch. */
const neverCaught: ReadonlySet<string> = new Set([
  'BUDGET_EXCEEDED',
  'INTERNAL',
  'PROFILE_NOT_FOUND',
  'STEP_UNKNOWN',
  'WORKER_LOST',
]);

/** Whether a workflow may go on after an error: what hands the run back or cancels it is none of its own. */
export const isCatchable = ({ code }: PilothouseError): boolean =>
  consequenceOf(code) === 'fail' && !neverCaught.has(code);
