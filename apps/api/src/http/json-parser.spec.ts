import { findJsonError, MAX_JSON_DEPTH, parseJson } from './json-parser.ts';

const good = [
  'null',
  '[]',
  '{}',
  ' {"a": [1, -2.5e+10, "x\\u00e9\\n", true, {"b": null}]} ',
  '"text"',
  '0',
  '[[],[{}]]',
];

test.each(good)('finds nothing wrong in %s', (text) => {
  expect(findJsonError(text)).toBeNull();
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test.each([
  ['{"a":}', 5],
  ['{"a" 1}', 5],
  ['{a: 1}', 1],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['{"a":1,}', 7],
  ['{"a":1', 6],
  ['', 0],
  ['  ', 2],
  ['01', 1],
  ['"open', 0],
  ["{'a':1}", 1],
  ['[1]]', 3],
  ['[}', 1],
  ['tru', 0],
  ['{"a":1}}', 7],
])('in %s the error is at %i', (text, position) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  expect(findJsonError(text)).toBe(position);
});

test('finds an error exactly where JSON.parse throws, for each character at each place', () => {
  const text = '{"a":[1,true,null,"x\\n"],"b":{"c":-1.5e3}}';
  for (let position = 0; position <= text.length; position += 1) {
    for (const character of ['', ',', ':', '{', '}', '[', ']', '"', '1', '-', 'x', '\\', ' ', '\u0001']) {
      const broken = text.slice(0, position) + character + text.slice(position + 1);
      let isJson = true;
      try {
        JSON.parse(broken);
      } catch {
        isJson = false;
      }
      expect([broken, findJsonError(broken) === null]).toEqual([broken, isJson]);
    }
  }
});

test('reports line and column', () => {
  expect(() => parseJson('{\n  "a": 1,\n  "b": ?\n}')).toThrow(
    /"\?" is not allowed here \(line 3, column 8, position 19\)/,
  );
  expect(() => parseJson('{"a"')).toThrow(/it ends too early \(line 1, column 5, position 4\)/);
});

test.each([
  ['arrays', '['],
  ['objects', '{"a":'],
])('rejects one megabyte of nested %s without overflowing the stack', (_, bracket) => {
  const text = bracket.repeat(1_000_000 / bracket.length);
  expect(findJsonError(text)).toBe(bracket.length * MAX_JSON_DEPTH);
  expect(() => parseJson(text)).toThrow(/it is nested more than 1000 levels deep \(line 1, column \d+, position \d+\)/);
});

test('accepts the maximum depth, and brackets in strings at any number', () => {
  const deepest = `${'['.repeat(MAX_JSON_DEPTH)}${']'.repeat(MAX_JSON_DEPTH)}`;
  expect(findJsonError(deepest)).toBeNull();
  expect(parseJson(deepest)).toEqual(JSON.parse(deepest));
  const brackets = JSON.stringify('["\\'.repeat(10_000));
  expect(parseJson(brackets)).toBe('["\\'.repeat(10_000));
});
