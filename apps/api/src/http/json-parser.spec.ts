import { findJsonError, parseJson } from './json-parser.ts';

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
])('in %s the error is at %i', (text, at) => {
  expect(() => JSON.parse(text) as unknown).toThrow();
  expect(findJsonError(text)).toBe(at);
});

test('finds an error exactly where JSON.parse refuses, whatever a text is made of', () => {
  // A text is broken at every place by every character that means something to JSON.
  const text = '{"a":[1,true,null,"x\\n"],"b":{"c":-1.5e3}}';
  for (let at = 0; at <= text.length; at += 1) {
    for (const character of ['', ',', ':', '{', '}', '[', ']', '"', '1', '-', 'x', '\\', ' ', '\u0001']) {
      const broken = text.slice(0, at) + character + text.slice(at + 1);
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

test('says line and column', () => {
  expect(() => parseJson('{\n  "a": 1,\n  "b": ?\n}')).toThrow(
    /"\?" is not allowed here \(line 3, column 8, position 19\)/,
  );
  expect(() => parseJson('{"a"')).toThrow(/it ends too early \(line 1, column 5, position 4\)/);
});
