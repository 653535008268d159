import { changedValuesOf } from './run-form.server.ts';
import { inputValue, textOfValue } from './workflow-inputs.ts';

test.each([
  ['string', '12', '12'],
  ['integer', ' 12 ', 12],
  ['number', '-1.5', -1.5],
  ['boolean', 'true', true],
  ['array', '[1, "a"]', [1, 'a']],
  ['object', '{"a": null}', { a: null }],
] as const)('a value of type %s is read from %j', (type, text, value) =>
  expect(inputValue({ type }, text)).toEqual(value),
);

test('an invalid value is reported with an example', () => {
  expect(() => inputValue({ type: 'number' }, '')).toThrow('Enter a number');
  expect(() => inputValue({ type: 'array' }, 'a, b')).toThrow('["a", "b"]');
});

test('a value is converted to the text of its field', () =>
  expect([undefined, null, 'a', [1]].map(textOfValue)).toEqual(['', '', 'a', '[1]']));

test('a selected secret of the project is a reference, also in a retry', async () => {
  const form = new FormData();
  form.set('secret.password', 'portal-password');
  form.set('secret.pin', '');
  const inputs = { password: { type: 'string', secret: true }, pin: { type: 'string', secret: true } } as const;
  const upload = () => Promise.reject(new Error('There is no file'));
  expect(await changedValuesOf({ upload }, inputs, form)).toEqual({ password: { secret: 'portal-password' } });
});

test('an emptied input is removed, but a secret is reused', async () => {
  const form = new FormData();
  for (const name of ['note', 'count', 'password', 'port']) form.set(`input.${name}`, name === 'port' ? 'Bergen' : '');
  const inputs = {
    note: { type: 'string', optional: true },
    count: { type: 'integer', default: 3 },
    password: { type: 'string', secret: true },
    port: { type: 'string' },
  } as const;
  const upload = () => Promise.reject(new Error('There is no file'));
  expect(await changedValuesOf({ upload }, inputs, form)).toEqual({ note: null, count: 3, port: 'Bergen' });
});
