import { isDatabaseBusy } from '@pilothouse/infra-db';
import { errorOf } from '../http/problem.ts';

/** Whether the same may succeed a little later. What nobody expected may not: tried for ever, it would be in the way of the rest. */
export function mayPass(thrown: unknown): boolean {
  const { code, retry } = errorOf(thrown);
  return (retry === 'same-request' && code !== 'INTERNAL') || isDatabaseBusy(thrown);
}

/** Why something failed, for everybody to read: what nobody expected says nothing of itself, the log does. */
export function whyFailed(thrown: unknown): string {
  const { code, message } = errorOf(thrown);
  return code === 'INTERNAL' ? 'Something unexpected happened; the log has the reason' : message;
}
