import { defaultText, inputValue } from './workflow-inputs.ts';

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

test('what is none is said with an example', () => {
  expect(() => inputValue({ type: 'number' }, '')).toThrow('Write a number');
  expect(() => inputValue({ type: 'array' }, 'a, b')).toThrow('["a", "b"]');
});

test('a default stands in its field', () =>
  expect([defaultText({}), defaultText({ default: 'a' }), defaultText({ default: [1] })]).toEqual(['', 'a', '[1]']));
