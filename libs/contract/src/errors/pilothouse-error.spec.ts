import { errorCodes, errorDefinition, retries } from './error-codes.ts';
import { errorViewSchema } from './pilothouse-error.ts';

test('the catalogue has only retries that exist, and uses each', () => {
  expect(new Set(errorCodes.map((code) => errorDefinition(code).retry))).toEqual(new Set(retries));
});

test.each([
  'TARGET_NOT_FOUND',
  'TARGET_NOT_ACTIONABLE',
  'CONDITION_NOT_MET',
  'STEP_TIMED_OUT',
  'MODEL_INVALID',
] as const)('no part of the system repeats %s', (code) => expect(errorDefinition(code).retry).toBe('no'));

test('an error of another version with a retry that is not in the catalogue is read as one without a retry', () => {
  const view = { code: 'TARGET_NOT_FOUND', message: 'It is gone', retry: 'same-worker' };
  expect(errorViewSchema.parse(view)).toEqual({ ...view, retry: 'no' });
});
