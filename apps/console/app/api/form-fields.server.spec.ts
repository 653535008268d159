import { intentOf, choiceOf } from './form-fields.server.ts';

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

test('a known intent is returned', () => {
  expect(intentOf(formOf({ intent: 'retry' }), ['cancel', 'retry'])).toBe('retry');
});

test.each([['nonsense'], [''], ['Cancel'], ['cancel ']])('the unknown intent "%s" is rejected with 400', (intent) => {
  const parseIntent = () => intentOf(formOf({ intent }), ['cancel', 'retry']);
  expect(parseIntent).toThrow(expect.objectContaining({ init: { status: 400 } }));
});

test('a missing field is rejected and named', () => {
  const refusal = { data: { code: 'VALIDATION_FAILED', message: expect.stringContaining('"role"') } };
  expect(() => choiceOf(formOf({}), 'role', ['viewer'])).toThrow(expect.objectContaining(refusal));
});
