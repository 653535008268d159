import type { Json } from '@pilothouse/contract/primitives.schema';
import { evaluate, evaluateBoolean, parseExpression } from './expressions.ts';

const scope = {
  inputs: { n: 5, price: 1.5, word: 'Hello', list: [1, 2, 3], none: null },
  vars: { i: 0, row: { sku: 'HS-1', n: 2 } },
  steps: {
    rows: {
      value: [
        { sku: 'a', n: 1 },
        { sku: 'b', n: 2 },
      ],
    },
  },
  run: { id: 'a-run' },
};

test.each<[string, Json]>([
  ['inputs.n + 1', 6],
  ['inputs.n * inputs.price', 7.5],
  ['2 * inputs.price', 3],
  ['inputs.n % 2 == 1', true],
  ['size(steps.rows.value) + inputs.n', 7],
  ['steps.rows.value.map(r, r.sku)', ['a', 'b']],
  ['steps.rows.value.filter(r, r.n > 1)[0].sku', 'b'],
  ['steps.rows.value.exists(r, r.sku == vars.row.sku)', false],
  ['inputs.list[vars.i]', 1],
  ['vars["row"].sku.startsWith("HS-")', true],
  ['has(vars.row.price)', false],
  ['vars.?row.?price.orValue(0)', 0],
  ['inputs.none == null ? "none" : inputs.word', 'none'],
  ['{"a": [1, "x"], "b": run.id}', { a: [1, 'x'], b: 'a-run' }],
  ['timestamp("2026-01-01T00:00:00Z")', '2026-01-01T00:00:00.000Z'],
  ['"a,b".split(",")', ['a', 'b']],
])('%s', (source, expected) => {
  expect(evaluate(source, scope)).toEqual(expected);
});

test.each([
  ['inputs.n +', /at character/],
  ['unknown.n', /Unknown variable: unknown/],
  ['vars.row.price', /No such key: price/],
  ['run.epoch', /No such key: epoch/],
  ['inputs.constructor', /No such key/],
  ['inputs.word.constructor("return process")()', /./],
  ['"aaaa".matches("(a+)+$")', /matches is not supported/],
  ['cel.bind(x, inputs.n, x)', /bind is not supported/],
  ['b"bytes"', /not valid in JSON/],
  ['type(inputs.n)', /not valid in JSON/],
  ['inputs.n / 0', /not valid in JSON/],
  ['inputs.word + 1', /./],
])('%s is refused', (source, message) => {
  expect(() => evaluate(source, scope)).toThrow(
    expect.objectContaining({ code: 'EXPRESSION_FAILED', message: expect.stringMatching(message) }),
  );
});

test('a decision is true or false', () => {
  expect(evaluateBoolean('inputs.n > 4', scope)).toBe(true);
  expect(() => evaluateBoolean('inputs.n', scope)).toThrow(/must be true or false, not a number/);
});

test.each([
  ['a joined text', 'inputs.list.map(item, inputs.text).join("").size()'],
  ['a joined text with long separators', 'inputs.list.map(item, "").join(inputs.text).size()'],
  ['a long text in parts', '(inputs.text + inputs.text + inputs.text).split("").size()'],
])('%s is limited: a native function has no timeout', (_, source) => {
  const inputs = { text: 'x'.repeat(400_000), list: [1, 2, 3, 4, 5] };
  expect(() => evaluate(source, { inputs, vars: {}, steps: {}, run: { id: 'r' } })).toThrow(
    'it splits or joins a text with more than 1000000 characters',
  );
});

test('split and join have limits and separators', () => {
  const scope = { inputs: { text: 'a,b,c' }, vars: {}, steps: {}, run: { id: 'r' } };
  expect(evaluate('inputs.text.split(",", 2)', scope)).toEqual(['a', 'b,c']);
  expect(evaluate('inputs.text.split(",", 0)', scope)).toEqual([]);
  expect(evaluate('inputs.text.split(",").join("-")', scope)).toBe('a-b-c');
  expect(evaluate('["a", "b"].join()', scope)).toBe('ab');
});

test('an expression with long lists times out', () => {
  const list = Array.from({ length: 20_000 }, (_, n) => n);
  const inputs = { list, short: list.slice(0, 1_000) };
  expect(evaluate('inputs.short.all(a, a >= 0)', { ...scope, inputs })).toBe(true);
  expect(() => evaluate('inputs.list.all(a, inputs.list.all(b, a + b >= 0))', { ...scope, inputs })).toThrow(
    /takes longer/,
  );
  expect(evaluate('1 + 1', scope)).toBe(2);
});

test.each([
  ['a list that shares its items', `inputs.list.map(a, inputs.list)`],
  ['nested lists of one list', `[inputs.list]${'.map(a, [a, a, a, a, a, a, a, a, a, a])'.repeat(6)}`],
  ['a text of a million characters', `[inputs.text]${'.map(a, a + a + a + a + a + a + a + a + a + a)'.repeat(3)}`],
])('the value of %s is too large', (_, source) => {
  const inputs = { list: Array.from({ length: 2_000 }, (_item, n) => n), text: 'x'.repeat(2_000) };
  expect(() => evaluate(source, { ...scope, inputs })).toThrow(/more than 1000000 characters/);
});

test('an expression does not change its variables', () => {
  const original = JSON.stringify(scope);
  evaluate('steps.rows.value.map(r, {"sku": r.sku})', scope);
  expect(JSON.stringify(scope)).toBe(original);
});

test('names are the referenced variables', () => {
  const { names } = parseExpression('steps.rows.value.filter(r, r.n > vars["limit"]).size() > inputs.list[0]');
  expect(names).toEqual([
    ['steps', 'rows', 'value'],
    ['vars', 'limit'],
    ['inputs', 'list', '0'],
  ]);
});

test('an error names the function of the author', () => {
  expect(() => evaluate('1.split(",")', scope)).toThrow(/split/);
  expect(() => evaluate('1.split(",")', scope)).not.toThrow(/bounded/);
  expect(() => evaluate('["a"].join(1)', scope)).not.toThrow(/bounded/);
});
