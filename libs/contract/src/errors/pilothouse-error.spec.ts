import { errorCodes, errorDefinition, retries } from './error-codes.ts';
import { errorViewSchema } from './pilothouse-error.ts';

test('the catalog uses each retry policy and no other', () => {
  expect(new Set(errorCodes.map((code) => errorDefinition(code).retry))).toEqual(new Set(retries));
});

test.each([
  'TARGET_NOT_FOUND',
  'TARGET_NOT_ACTIONABLE',
  'CONDITION_NOT_MET',
  'STEP_TIMED_OUT',
  'MODEL_INVALID',
] as const)('no part of the system repeats %s', (code) => expect(errorDefinition(code).retry).toBe('no'));

test('an unknown retry policy of another version is read as `no`', () => {
  const view = { code: 'TARGET_NOT_FOUND', message: 'It is gone', retry: 'same-worker' };
  expect(errorViewSchema.parse(view)).toEqual({ ...view, retry: 'no' });
});

test.each(errorCodes)('%s says what to do', (code) => expect(errorDefinition(code).help).toMatch(/^[A-Z].{20,}[.]$/));
