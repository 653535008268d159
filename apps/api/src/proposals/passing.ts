import type { ErrorCode } from '@pilothouse/contract';
import { isDatabaseBusy } from '@pilothouse/infra-db';
import { errorOf } from '../http/problem.ts';

const passing: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'IDEMPOTENCY_IN_FLIGHT']);

/** Whether the same may succeed a little later. What nobody expected may not: tried for ever, it would be in the way of the rest. */
export const mayPass = (thrown: unknown): boolean => passing.has(errorOf(thrown).code) || isDatabaseBusy(thrown);
