import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Result } from '@pilothouse/contract/run/outcome';
import { resultOfError } from './failed-result.ts';

test.each<[ErrorCode, boolean, Result]>([
  ['TARGET_NOT_FOUND', false, { outcome: 'refused', effect: 'none' }],
  ['APPROVAL_REQUIRED', false, { outcome: 'refused', effect: 'none' }],
  ['CONDITION_NOT_MET', true, { outcome: 'unknown', effect: 'unverifiable' }],
  ['TYPED_TEXT_DIFFERS', true, { outcome: 'unknown', effect: 'unverifiable' }],
  ['STEP_STATUS_UNKNOWN', false, { outcome: 'unknown', effect: 'unverifiable' }],
  ['RUN_CANCELLED', false, { outcome: 'interrupted', effect: 'none' }],
  ['RUN_CANCELLED', true, { outcome: 'interrupted', effect: 'unverifiable' }],
])('%s with sent input %s is %j', (code, isInputSent, result) => {
  expect(resultOfError(new PilothouseError(code, 'x'), isInputSent)).toEqual(result);
});

test('a step that a person ended is interrupted', () => {
  const error = new PilothouseError('TARGET_NOT_FOUND', 'x', { details: { endedBy: 'ada' } });
  expect(resultOfError(error, false)).toEqual({ outcome: 'interrupted', effect: 'none' });
});
