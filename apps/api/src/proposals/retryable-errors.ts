import { isDatabaseBusy } from '@pilothouse/infra-db';
import { toPublicError } from '../http/http-problem.ts';

/** Returns whether a retry may succeed. Unexpected errors are not retried: endless retries would block other work. */
export function isRetryable(thrown: unknown): boolean {
  const { code, retry } = toPublicError(thrown);
  return (retry === 'same-request' && code !== 'INTERNAL') || isDatabaseBusy(thrown);
}

/** A public reason for a failure. Unexpected errors are described only in the log. */
export function publicReason(thrown: unknown): string {
  const { code, message } = toPublicError(thrown);
  return code === 'INTERNAL' ? 'Something unexpected happened; the log has the reason' : message;
}
