import { evalCheckSchema } from '@pilothouse/contract/evaluation/eval-suite.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { HarEntry } from '@pilothouse/contract/run/capture.schema';
import { evalProblems, needsRequests, type EvalOutcome } from './eval-checks.ts';

const checksOf = (...checks: object[]) => ({ checks: checks.map((check) => evalCheckSchema.parse(check)) });
const outcomeOf = (output: Json, requests: readonly HarEntry[] | null = null): EvalOutcome => ({
  status: 'completed',
  error: null,
  output,
  requests,
});

interface RequestFacts {
  readonly method?: string;
  readonly status?: number;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly response?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

function anEntry(url: string, facts: RequestFacts = {}): HarEntry {
  const { method = 'GET', status = 200, form, json, response, headers = {} } = facts;
  const sizes = { headersSize: -1, bodySize: -1 };
  const pairs = (values: Iterable<[string, string]>) => [...values].map(([name, value]) => ({ name, value }));
  const base = { httpVersion: 'HTTP/1.1', cookies: [], ...sizes };
  return {
    startedDateTime: '2026-05-04T12:00:00.000Z',
    time: 1,
    request: {
      ...{ ...base, method, url, headers: pairs(Object.entries(headers)) },
      queryString: pairs(new URL(url).searchParams),
      ...(form && {
        postData: { mimeType: 'application/x-www-form-urlencoded', params: pairs(Object.entries(form)), text: '' },
      }),
      ...(json !== undefined && { postData: { mimeType: 'application/json', params: [], text: JSON.stringify(json) } }),
    },
    response: {
      ...{ ...base, status, statusText: '', headers: [], redirectURL: '' },
      content: {
        size: 0,
        mimeType: 'application/json',
        ...(response !== undefined && { text: JSON.stringify(response) }),
      },
    },
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0 },
  };
}

describe('output', () => {
  test.each<[string, object, Json, boolean]>([
    ['an equal value', { equals: { price: 12.5 } }, { price: 12.5 }, true],
    ['another value', { equals: { price: 12.5 } }, { price: 12.6 }, false],
    ['an additional member', { equals: { price: 1 } }, { price: 1, name: 'a' }, false],
    ['a number within the tolerance', { pointer: '/price', equals: 12.5, tolerance: 0.1 }, { price: 12.6 }, true],
    ['a list in another order', { equals: ['a', 'b'] }, ['b', 'a'], false],
    ['a list without order', { equals: ['a', 'b'], ordered: false }, ['b', 'a'], true],
    ['a repeated item without order', { equals: ['a', 'a'], ordered: false }, ['a', 'b'], false],
    ['an escaped pointer', { pointer: '/a~1b/0', equals: 1 }, { 'a/b': [1] }, true],
    ['null', { pointer: '/a', equals: null }, { a: null }, true],
    ['contained text, in another case', { contains: 'harbor' }, 'The Harbor  shop', true],
    ['text in a nested value', { contains: 'rope' }, { items: ['Rope 12 mm'] }, true],
  ])('%s', (_title, check, output, isMet) => {
    expect(evalProblems(checksOf({ output: check }), outcomeOf(output)).length === 0).toBe(isMet);
  });

  test('names the value, the pointer and the expectation', () => {
    const checks = checksOf(
      { output: { pointer: '/price', equals: 12 } },
      { output: { pointer: '/sku', equals: 'A' } },
    );
    expect(evalProblems(checks, outcomeOf({ price: 13 }))).toEqual([
      '/price of the output is 13, expected 12',
      '/sku of the output is missing',
    ]);
  });

  test.each<[string, Json, Json, object, boolean]>([
    ['text in another case', 'Open  TODO', 'open todo', {}, true],
    ['a currency', 1234.5, '$1,234.50', { type: 'number' }, true],
    ['a number as text', '12', 12, {}, true],
    ['another number', 12, '13', { type: 'number' }, false],
    ['a date in words', '2026-05-04', 'May 4, 2026', { type: 'string', format: 'date' }, true],
    ['a boolean as a word', true, 'yes', { type: 'boolean' }, true],
    ['alternatives', ['a', 'b'], 'B', { type: 'string' }, true],
    ['no alternative', ['a', 'b'], 'c', { type: 'string' }, false],
    ['a list with alternatives of an item', [['a', 'b'], 'c'], ['c', 'b'], { type: 'array' }, true],
    ['alternatives that need another assignment', [['a', 'b'], ['a']], ['a', 'b'], { type: 'array' }, true],
    ['a longer list', ['a'], ['a', 'b'], { type: 'array' }, false],
    ['a single value for a list', ['a'], 'A', { type: 'array' }, true],
    [
      'objects',
      [{ name: 'A', price: 2 }],
      [{ name: 'a', price: '€ 2.00' }],
      { type: 'array', items: { type: 'object' } },
      true,
    ],
    ['a regular expression', '^(a|b)c$', 'BC', {}, true],
    ['null for a text', null, 'null', {}, false],
  ])('by type: %s', (_title, equals, output, schema, isMet) => {
    const checks = checksOf({ output: { compare: 'typed', ordered: false, equals, schema } });
    expect(evalProblems(checks, outcomeOf(output)).length === 0).toBe(isMet);
  });

  test('a long list without order is compared in quadratic time at most', () => {
    const items = Array.from({ length: 400 }, (_, index) => `item ${index}`);
    const checks = checksOf({ output: { compare: 'typed', ordered: false, equals: items, schema: { type: 'array' } } });
    expect(evalProblems(checks, outcomeOf(items.toReversed()))).toEqual([]);
  });
});

describe('request', () => {
  const order = anEntry('http://shop/orders?source=cart', {
    method: 'POST',
    status: 201,
    json: { sku: 'ROPE-12', items: [{ quantity: 3 }] },
    response: { id: 'HS-1042' },
    headers: { Referer: 'http://shop/cart' },
  });
  const search = anEntry('http://shop/search/?q=rope&page=2');
  const form = anEntry('http://shop/login', { method: 'POST', status: 302, form: { name: 'Ada', remember: 'on' } });

  test.each<[string, object, boolean]>([
    ['URL and method', { url: 'http://shop/orders', method: 'post' }, true],
    ['a wildcard', { url: '*/orders' }, true],
    ['another path', { url: 'http://shop/order' }, false],
    ['a final slash', { url: 'http://shop/search' }, true],
    ['a regular expression', { url: '^http://shop/(orders|carts)' }, true],
    ['one of several URLs', { url: ['http://shop/carts', 'http://shop/orders'] }, true],
    ['the status', { url: 'http://shop/orders', status: [200, 201] }, true],
    ['another status', { url: 'http://shop/orders', status: 200 }, false],
    ['a member of the body', { url: 'http://shop/orders', body: { sku: 'rope-12' } }, true],
    ['a JSONPath of the body', { url: 'http://shop/orders', body: { '$.items[0].quantity': 3 } }, true],
    ['a missing member that is expected to be null', { url: 'http://shop/orders', body: { coupon: null } }, true],
    ['another member', { url: 'http://shop/orders', body: { sku: 'ROPE-14' } }, false],
    ['a form field', { url: 'http://shop/login', body: { name: ['Ada', 'Eve'] } }, true],
    ['the response', { url: 'http://shop/orders', response: { id: '^HS-' } }, true],
    ['a header', { url: 'http://shop/orders', headers: { referer: 'http://shop/cart' } }, true],
    ['a parameter', { url: 'http://shop/search', query: { q: 'rope' } }, true],
    ['another parameter', { url: 'http://shop/search', query: { q: 'rope' }, strictQuery: true }, false],
    [
      'an ignored parameter',
      { url: 'http://shop/search', query: { q: 'rope' }, strictQuery: true, ignoredQuery: ['pa*'] },
      true,
    ],
    ['a query in the pattern', { url: 'http://shop/search/?q=rope&page=2', strictQuery: true }, true],
    ['no such request', { url: 'http://shop/refunds', absent: true }, true],
    ['a request that must be absent', { url: 'http://shop/orders', absent: true }, false],
  ])('%s', (_title, check, isMet) => {
    const outcome = outcomeOf(null, [search, order, form]);
    expect(evalProblems(checksOf({ request: check }), outcome).length === 0).toBe(isMet);
  });

  test('compares only the last request if asked to', () => {
    const requests = [order, { ...order, response: { ...order.response, status: 500 } }];
    const check = { url: 'http://shop/orders', status: 201 };
    expect(evalProblems(checksOf({ request: check }), outcomeOf(null, requests))).toEqual([]);
    expect(evalProblems(checksOf({ request: { ...check, lastOnly: true } }), outcomeOf(null, requests))).toEqual([
      'request http://shop/orders: the status is 500, expected 201',
    ]);
  });

  test('is a problem if requests were not recorded', () => {
    const task = checksOf({ request: { url: '*' } });
    expect(needsRequests(task)).toBe(true);
    expect(evalProblems(task, outcomeOf(null))).toEqual(['The requests of the run were not recorded']);
  });
});

describe('the status of the run', () => {
  const failed = {
    status: 'failed',
    error: { code: 'GOAL_FAILED', message: 'No rope' },
    output: null,
    requests: null,
  } as const;

  test('a failed run fails the task with its message', () => {
    expect(evalProblems(checksOf({ output: { equals: 1 } }), failed)).toEqual(['The run failed: No rope']);
  });

  test('an expected error is a success, another one or a completed run is not', () => {
    expect(evalProblems(checksOf({ error: 'GOAL_FAILED' }), failed)).toEqual([]);
    expect(evalProblems(checksOf({ error: 'STEP_TIMED_OUT' }), failed)).toEqual([
      'The run failed with GOAL_FAILED, expected STEP_TIMED_OUT',
    ]);
    expect(evalProblems(checksOf({ error: 'GOAL_FAILED' }), outcomeOf(1))).toEqual([
      'The run completed, expected GOAL_FAILED',
    ]);
  });
});
