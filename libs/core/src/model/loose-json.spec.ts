import { parseLooseJson, readLooseValue } from './loose-json.ts';

test.each([
  ['JSON', '{"a": [1, -2.5e3, true, null, "x\\n\\u00e9"]}', { a: [1, -2500, true, null, 'x\né'] }],
  ['trailing commas', '{"a": [1, 2,], }', { a: [1, 2] }],
  ['a Python dictionary', "{'a': True, 'b': None, 'c': 'it\\'s \"x\"'}", { a: true, b: null, c: 'it\'s "x"' }],
  ['names without quotes', '{action: "click", element: 5}', { action: 'click', element: 5 }],
  ['a line break in a string', '{"text": "a\nb"}', { text: 'a\nb' }],
  ['an empty object', '{}', {}],
])('%s', (_, text, value) => {
  expect(parseLooseJson(text)).toEqual(value);
});

test.each([
  ['a cut number', '{"times": 3'],
  ['a cut text', '{"text": "abc'],
  ['a repeated name', '{"element": 2, "element": 5}'],
  ['two values', '{"a": 1}{"a": 2}'],
  ['an unknown word', '{"a": undefined}'],
  ['two commas', '{"a": 1,, "b": 2}'],
  ['a missing comma', '{"a": 1 "b": 2}'],
  ['a string', '"x"'],
  ['a path without escapes', "{'path': 'C:\\dir'}"],
  ['a short escape', '{"a": "\\u12"}'],
  ['nothing', ''],
])('%s is not read', (_, text) => {
  expect(parseLooseJson(text)).toBeUndefined();
});

test('an own property named __proto__ changes no prototype', () => {
  const value = parseLooseJson('{"__proto__": {"admin": true}}') as Record<string, unknown>;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(value['admin']).toBeUndefined();
});

test('a value is read in a longer text', () => {
  expect(readLooseValue("x {'a': '}'} y", 2)).toEqual({ value: { a: '}' }, end: 12 });
});

test.each(['['.repeat(200_000), '{"a":'.repeat(100_000), `"${'\\'.repeat(100_000)}`, `{${' '.repeat(200_000)}`])(
  'a hostile text is refused without an overflow',
  (text) => {
    expect(parseLooseJson(text)).toBeUndefined();
  },
);
