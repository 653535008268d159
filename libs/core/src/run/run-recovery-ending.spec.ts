import { errorCodes, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { consequenceOf } from './run-recovery.ts';

test.each<[ErrorCode, string]>([
  ['LEASE_LOST', 'lost'],
  ['RUN_CANCELLED', 'cancel'],
  ['WORKER_LOST', 'fail'],
  ['SURFACE_LOST', 'handback'],
  ['SURFACE_UNAVAILABLE', 'handback'],
  ['RUN_HANDED_BACK', 'handback'],
  ['TARGET_NOT_FOUND', 'fail'],
  ['BUDGET_EXCEEDED', 'fail'],
  ['INTERNAL', 'fail'],
])('%s: %s', (code, ending) => {
  expect(consequenceOf(code)).toBe(ending);
});

test('every error code has a consequence', () => {
  expect(errorCodes.map(consequenceOf)).toHaveLength(errorCodes.length);
});
