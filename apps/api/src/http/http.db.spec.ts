import { connect } from 'node:net';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { MAX_BODY_BYTES } from './body-parser.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const problem = (method: string, path: string, options = {}) => api.call<Problem>(method, path, options);

test('an unknown route returns a problem with the request id', async () => {
  const { status, body, headers } = await problem('GET', '/v1/nowhere?a=1', {
    headers: { 'x-request-id': 'my-request-7' },
  });
  expect(status).toBe(404);
  expect(body).toEqual({
    type: 'urn:pilothouse:error:not-found',
    title: 'Not found',
    status: 404,
    detail: 'Route GET /v1/nowhere not found. /docs lists all routes.',
    instance: 'urn:pilothouse:request:my-request-7',
    code: 'NOT_FOUND',
    retry: 'no',
  });
  expect(headers.get('x-request-id')).toBe('my-request-7');
  const tame = await problem('GET', '/v1/nowhere', { headers: { 'x-request-id': '<script>alert(1)</script>' } });
  expect(tame.body.instance).toMatch(/^urn:pilothouse:request:[0-9a-f-]{36}$/);
});

test('rejects unsupported methods and malformed paths', async () => {
  expect((await problem('DELETE', '/v1/runs')).status).toBe(404);
  expect((await problem('GET', '/v1/runs/%E0%A4%A')).status).toBe(400);
});

test('broken JSON is reported with its position, and never as an internal error', async () => {
  const { status, body } = await problem('POST', '/v1/runs', { body: '{"steps": [\n  {"action": }\n]}' });
  expect(status).toBe(400);
  expect(body.errors?.[0]?.detail).toContain('line 2, column 14');
});

test('rejects missing, mistyped, compressed and non-UTF-8 bodies', async () => {
  const missing = await problem('POST', '/v1/runs');
  expect([missing.status, missing.body.detail]).toEqual([400, 'The body is invalid: It is missing']);
  const xml = await problem('POST', '/v1/runs', { body: '<a/>', headers: { 'content-type': 'application/xml' } });
  expect([xml.status, xml.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(xml.body.detail).toContain('`application/json`');
  const yaml = await problem('POST', '/v1/runs', { body: 'steps: []', headers: { 'content-type': 'text/yaml' } });
  expect(yaml.status).toBe(415);
  const packed = await problem('POST', '/v1/runs', { body: '{}', headers: { 'content-encoding': 'gzip' } });
  expect(packed.status).toBe(415);
  const bytes = await fetch(`${api.url}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.admin}`, 'content-type': 'application/json' },
    body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
  });
  expect(bytes.status).toBe(400);
  expect(((await bytes.json()) as Problem).detail).toContain('not UTF-8');
});

test("a stranger's body is not read", async () => {
  const headers = { authorization: 'Bearer ph_unknown' };
  const { status, body } = await api.call<Problem>('POST', '/v1/runs', { body: '{"steps": [', headers });
  expect([status, body.code]).toEqual([401, 'UNAUTHENTICATED']);
  const oversized = await api.call<Problem>('POST', '/v1/runs', { body: 'x'.repeat(MAX_BODY_BYTES + 1), headers });
  expect(oversized.status).toBe(401);
});

test.each([
  ['a route that needs a key', 'POST /v1/runs', 401],
  ['a route without a body', 'GET /healthz', 200],
  ['an unknown route', 'POST /v1/nowhere', 404],
  ['a malformed path', 'POST /v1/runs/%E0%A4%A', 400],
])(
  'a body that never ends does not keep the connection: %s',
  async (_, line, status) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let answer = '';
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
    socket.write(`${line} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000000\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 100);
    try {
      await closed;
    } finally {
      clearInterval(drip);
      socket.destroy();
    }
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  },
  20_000,
);

test('rejects an oversized body, announced or not', async () => {
  const text = JSON.stringify({ steps: 'x'.repeat(MAX_BODY_BYTES) });
  expect((await problem('POST', '/v1/runs', { body: text })).status).toBe(413);
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  const chunked = await fetch(`${api.url}/v1/runs`, {
    method: 'POST',
    duplex: 'half',
    headers: { authorization: `Bearer ${api.admin}`, 'content-type': 'application/json' },
    body: stream,
  } as RequestInit);
  expect(chunked.status).toBe(413);
});

test('reports each invalid field with a pointer, in body, query, path and headers', async () => {
  const body = await problem('POST', '/v1/runs', {
    body: { steps: [{ action: 'navigate' }, { action: 'click', target: { rol: 'button' } }], priority: 1000 },
  });
  expect(body.status).toBe(400);
  expect(body.body.errors?.map(({ pointer }) => pointer)).toEqual(
    expect.arrayContaining(['/steps/0/url', '/steps/1/target/rol', '/priority']),
  );
  const query = await problem('GET', '/v1/runs?limit=x&stauts=running');
  expect(query.body.errors?.map(({ pointer }) => pointer).sort()).toEqual(['query/limit', 'query/stauts']);
  const path = await problem('GET', '/v1/runs/17');
  expect(path.body.errors?.[0]?.pointer).toBe('path/run');
  const header = await problem('POST', '/v1/runs', {
    body: { steps: [{ action: 'screenshot' }] },
    headers: { 'idempotency-key': 'x'.repeat(201) },
  });
  expect(header.body.errors?.[0]?.pointer).toBe('headers/idempotency-key');
});

test('an internal error hides its details; the log has the reason under the same id', async () => {
  await api.context.pool.query('ALTER TABLE workflow RENAME COLUMN name TO nom');
  try {
    const { status, body } = await problem('GET', '/v1/workflows');
    expect([status, body.code]).toEqual([500, 'INTERNAL']);
    expect(JSON.stringify(body)).not.toMatch(/column|prisma|workflow\.name/i);
    const id = body.instance?.split(':').at(-1);
    const line = api.log.lines.find(
      ({ level, facts }) => level === 'error' && 'request' in facts && facts.request === id,
    );
    expect(JSON.stringify(line)).toMatch(/name/);
  } finally {
    await api.context.pool.query('ALTER TABLE workflow RENAME COLUMN nom TO name');
  }
});

test('a lost database connection is reported as unavailable, and the next request is served', async () => {
  const locked = await api.context.pool.connect();
  await locked.query('BEGIN; LOCK TABLE workflow IN ACCESS EXCLUSIVE MODE');
  let isAnswered = false;
  const waiting = problem('GET', '/v1/workflows').finally(() => (isAnswered = true));
  const terminateWaitingConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  // Background queries of the API can wait for the lock too.
  await until('the request is answered', async () => {
    await api.context.pool.query(terminateWaitingConnections);
    return isAnswered;
  });
  const { status, body, headers } = await waiting;
  await locked.query('ROLLBACK');
  locked.release();
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
  expect((await problem('GET', '/v1/workflows')).status).toBe(200);
});

test('an incomplete request blocks nothing', async () => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(
    'POST /v1/runs HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a"',
  );
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.destroy();
  expect((await api.call('GET', '/healthz')).status).toBe(200);
});
