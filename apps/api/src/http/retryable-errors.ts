import { isDatabaseBusy } from '@pilothouse/infra-db';
import { toPublicError } from './http-problem.ts';

/** Returns whether a retry may succeed. Unexpected errors are not retried: endless retries would block other work. */
export function isRetryable(error: unknown): boolean {
  const { code, retry } = toPublicError(error);
  return (retry === 'same-request' && code !== 'INTERNAL') || isDatabaseBusy(error);
}

/** A public reason for a failure. Unexpected errors are described only in the log. */
export function publicReason(error: unknown): string {
  const { code, message } = toPublicError(error);
  return code === 'INTERNAL' ? 'Unexpected error; see the log' : message;
}
