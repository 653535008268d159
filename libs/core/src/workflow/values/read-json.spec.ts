import type { Field } from '@pilothouse/contract/actions/extraction.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { queryJson, jsonPathProblem, readJsonField } from './read-json.ts';

const items: Json[] = [
  { sku: 'A', price: '1,234.50', tags: ['x'], stock: 3, sold: '2026-11-21', gone: null },
  { sku: 'B', price: 7, stock: 2.5 },
];
const shop = { items };

test('a path finds values and their locations', () => {
  expect(queryJson(shop, '$.items[?@.price < 10].sku')).toEqual([{ value: 'B', path: "$['items'][1]['sku']" }]);
  expect(jsonPathProblem('$.items[*].price')).toBeNull();
  expect(jsonPathProblem('items..[')).toMatch(/Not a JSONPath/);
});

const first = { value: items[0] ?? null, path: "$['items'][0]" };

test.each<[Field, Json]>([
  [{ path: '$.sku' }, 'A'],
  [{ path: '$.price', type: 'number' }, 1234.5],
  [
    { path: '$.price', type: 'money', currency: 'EUR' },
    { amount: 1234.5, currency: 'EUR' },
  ],
  [{ path: '$.stock', type: 'integer' }, 3],
  [{ path: '$.stock', type: 'string' }, '3'],
  [{ path: '$.sold', type: 'date' }, '2026-11-21'],
  [{ path: '$.tags' }, ['x']],
  [{ path: '$.price', pattern: '^(\\d)', type: 'integer' }, 1],
  [{ path: '$.gone', optional: true }, null],
  [{ path: '$.none', optional: true }, null],
])('%j is %j', (field, value) => expect(readJsonField(first, field, 'x').value).toEqual(value));

test.each<[Field, string]>([
  [{ path: '$.sku', type: 'number' }, 'x: "A" cannot be read as number: it has no digit'],
  [{ path: '$.tags', type: 'string' }, 'x: ["x"] cannot be read as string: it is a list'],
  [{ path: '$.none', type: 'number' }, 'x: $.none is missing, but number is expected'],
  [{ path: '$.gone' }, 'x: $.gone is null, but a value is expected'],
  [{ path: '$.*' }, '$.* matches 6 values: "A", "1,234.50", ["x"]; use a more specific path'],
])('%j is refused', (field, message) => {
  expect(() => readJsonField(first, field, 'x')).toThrow(
    expect.objectContaining({ code: 'EXTRACTION_FAILED', message: expect.stringContaining(message) }),
  );
});

test('match and search of a path run in linear time', () => {
  const long = [{ name: `${'a'.repeat(50_000)}!` }];
  const start = performance.now();
  expect(queryJson(long, '$[?match(@.name, "(a+)+")]')).toEqual([]);
  expect(queryJson(long, '$[?search(@.name, "^(a|a)*$")]')).toEqual([]);
  expect(queryJson(long, '$[?search(@.name, "a!$")].name')).toHaveLength(1);
  expect(performance.now() - start).toBeLessThan(5000);
});

test('a literal pattern in a path is validated; an invalid pattern from the document matches nothing', () => {
  expect(jsonPathProblem('$[?@.a && !search(@.name, "(?=a)")]')).toMatch(
    /the pattern "\(\?=a\)" of search\(\): Look-ahead/,
  );
  expect(queryJson([{ text: 'b', pattern: '(b)\\1' }], '$[?match(@.text, @.pattern)]')).toEqual([]);
  expect(queryJson([{ text: 'b', pattern: 'a|b' }], '$[?match(@.text, @.pattern)]')).toHaveLength(1);
});

describe('limit of the nodes that a path visits', () => {
  const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1), deep(levels - 1), deep(levels - 1)]);
  const tree = deep(9);
  const rows: Json[] = Array.from({ length: 20_000 }, (_, n) => ({ n }));

  test.each(['$..*..*..*', '$..*..*..none', '$..[?@..*..*]', '$..[?count($..*) > 1]'])('%s', (path) => {
    expect(() => queryJson([tree, rows], path)).toThrow(
      expect.objectContaining({
        code: 'EXTRACTION_FAILED',
        message: expect.stringContaining('The path visits more than 500000 values: use fewer `..`'),
      }),
    );
  });

  test('accepts a long list and a document with many values', () => {
    const long: Json[] = Array.from({ length: 200_000 }, (_, n) => n);
    expect(queryJson(long, '$[*]')).toHaveLength(200_000);
    expect(queryJson(rows, '$..n')).toHaveLength(20_000);
    expect(queryJson(rows, '$[?@.n >= 19999].n')).toEqual([{ value: 19_999, path: "$[19999]['n']" }]);
  });
});
