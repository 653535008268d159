import { assertNever, type ErrorCode, errorDefinition } from '@pilothouse/contract';

/** What becomes of a run whose attempt met an error. */
export type ErrorConsequence =
  /** It failed with this error. */
  | 'fail'
  | 'cancel'
  /** It goes back to the queue, for another worker. */
  | 'handback'
  /** Somebody else decides: nothing may be written any more. */
  | 'lost';

/** What an error of an attempt means for its run; whether to retry is a property of the code. */
export function consequenceOf(code: ErrorCode): ErrorConsequence {
  if (code === 'LEASE_LOST') return 'lost';
  if (code === 'RUN_CANCELLED') return 'cancel';
  // A lost worker says nothing: the next one does, where the workflow wants none to go on (`resume: fail`).
  if (code === 'WORKER_LOST') return 'fail';
  const { retry } = errorDefinition(code);
  switch (retry) {
    case 'new-worker':
      return 'handback';
    case 'no':
    case 'same-request':
      return 'fail';
    default:
      return assertNever(retry);
  }
}
