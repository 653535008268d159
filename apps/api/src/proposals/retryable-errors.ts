import { isDatabaseBusy } from '@pilothouse/infra-db';
import { toPublicError } from '../http/http-problem.ts';

/** Whether the same may succeed a little later. What nobody expected may not: tried for ever, it would be in the way of the rest. */
export function isRetryable(thrown: unknown): boolean {
  const { code, retry } = toPublicError(thrown);
  return (retry === 'same-request' && code !== 'INTERNAL') || isDatabaseBusy(thrown);
}

/** Why something failed, for everybody to read: what nobody expected says nothing of itself, the log does. */
export function publicReason(thrown: unknown): string {
  const { code, message } = toPublicError(thrown);
  return code === 'INTERNAL' ? 'Something unexpected happened; the log has the reason' : message;
}
