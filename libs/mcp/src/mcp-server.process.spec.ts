import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '@pilothouse/client';
import { TestServer } from '@pilothouse/testing/test-server';
import type { RequestListener } from 'node:http';
import { createMcpServer } from './mcp-server.ts';
import { aRun, RUN } from './testing/mcp-run.fixture.ts';

type Answer = (request: Request) => Response | Promise<Response>;
const unavailable = () => new Response('<html>', { status: 502 });
const me = Response.json.bind(null, { key: null, user: null, role: 'operator', project: null });
const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Connects a client to a server whose API is a function. Keys are `GET /path`. */
async function connect(answers: Record<string, Answer>, isReadOnly = false) {
  const requests: Request[] = [];
  const errors: unknown[] = [];
  const api = createClient({
    url: 'http://api.test',
    fetch: async (input) => {
      const request = input as Request;
      requests.push(request.clone());
      const key = `${request.method} ${new URL(request.url).pathname}`;
      return (answers[key] ?? (() => me()))(request);
    },
  });
  const [mine, other] = InMemoryTransport.createLinkedPair();
  const onError = (thrown: unknown) => errors.push(thrown);
  const server = await createMcpServer({ client: api, isReadOnly, onError }, { era: 'legacy' });
  await server.connect(other);
  const client = new Client({ name: 'spec', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  await client.connect(mine);
  clients.push(client);
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } });
  return { client, call, requests, errors };
}

const waiting = aRun({
  status: 'awaiting_user',
  question: {
    step: 0,
    id: null,
    reason: 'Pay?',
    choices: [{ choice: 'continue', title: 'Yes' }],
    key: '1.0.1',
    askedAt: '2026-05-04T12:00:00.000Z',
    expiresAt: '2026-05-04T13:00:00.000Z',
  },
});

test('a started run whose wait fails returns its id, and is started once', async () => {
  let starts = 0;
  const { call, requests } = await connect({
    'POST /v1/runs': () => (++starts === 1 ? unavailable() : Response.json(aRun(), { status: 201 })),
    [`GET /v1/runs/${RUN}`]: unavailable,
  });
  const result = await call('start_goal', { goal: 'Buy rope', waitSeconds: 0 });
  expect(result).toMatchObject({ structuredContent: { id: RUN, status: 'running' } });
  expect(result.isError).toBeUndefined();
  const keys = requests.filter(({ method }) => method === 'POST').map(({ headers }) => headers.get('idempotency-key'));
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(keys[0]);
});

test('a failure that is no error of the API is reported, and hidden from the client', async () => {
  const { call, client, errors } = await connect({ 'GET /v1/workflows': () => Response.json({}) });
  const result = await call('list_workflows', {});
  expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'INTERNAL' } } });
  await expect(client.listResources()).rejects.toThrow();
  expect(errors).toEqual([expect.any(TypeError), expect.any(TypeError)]);
});

test('an invalid output schema is an error of its field', async () => {
  const { call } = await connect({});
  const result = await call('start_goal', { goal: 'Buy rope', outputSchema: { type: 'color' } });
  expect(result).toMatchObject({
    isError: true,
    structuredContent: {
      error: { code: 'VALIDATION_FAILED' },
      fields: [{ pointer: expect.stringMatching(/^\/outputSchema/) }],
    },
  });
});

test('an answer names its question', async () => {
  const { call, requests } = await connect({});
  expect(await call('answer_question', { run: RUN, choice: 'continue' })).toMatchObject({
    structuredContent: { error: { code: 'VALIDATION_FAILED' }, fields: [{ pointer: '/question' }] },
  });
  expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('in the legacy era a question is returned with the run, without a form', async () => {
  const { call } = await connect({
    'POST /v1/runs': () => Response.json(waiting, { status: 201 }),
    [`GET /v1/runs/${RUN}`]: () => Response.json(waiting),
  });
  const result = await call('start_goal', { goal: 'Buy rope' });
  expect(result).toMatchObject({ structuredContent: { id: RUN, question: { key: '1.0.1' } } });
});

test('a refused tool names the fix', async () => {
  const { call } = await connect({}, true);
  expect(JSON.stringify(await call('cancel_run', { run: RUN }))).toMatch(/connect without the read-only setting/);
});

describe('a text artifact', () => {
  const text = 'x'.repeat(200_000);
  const artifact = (size: number) => ({
    id: RUN,
    run: RUN,
    step: null,
    kind: 'data',
    name: 'a.txt',
    contentType: 'text/plain',
    size,
    createdAt: '2026-05-04T12:00:00.000Z',
  });
  async function read(listener: RequestListener, size: number) {
    const store = await new TestServer(listener).start();
    try {
      const url = `${store.origin}/a.txt`;
      const { call } = await connect({
        [`GET /v1/runs/${RUN}/artifacts`]: () => Response.json({ items: [{ ...artifact(size), url }] }),
      });
      return await call('get_artifact', { run: RUN, artifact: RUN });
    } finally {
      await store.stop();
    }
  }

  test('is returned whole, and its facts are marked as untrusted', async () => {
    const result = await read((_, response) => response.end(text), text.length);
    expect(JSON.stringify(result.content)).toContain(text);
    expect(result.structuredContent).toMatchObject({ notice: expect.stringMatching(/untrusted/), name: 'a.txt' });
  });

  test.each<[string, RequestListener]>([
    [
      'breaks',
      (_, response) => {
        response.writeHead(200, { 'content-length': text.length });
        response.write('x', () => response.destroy());
      },
    ],
    ['is longer', (_, response) => response.end(`${text}x`)],
    ['is shorter', (_, response) => response.end('x')],
  ])('whose body %s is unavailable', async (_, listener) => {
    const result = await read(listener, text.length);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'UNAVAILABLE' } } });
  });
});

test('a long run is a whole resource, declared as the text that it is', async () => {
  const output = { page: 'x'.repeat(200_000) };
  const { client } = await connect({
    [`GET /v1/runs/${RUN}`]: () => Response.json(aRun({ output })),
    'GET /v1/runs': () => Response.json({ items: [aRun()], nextCursor: null }),
    'GET /v1/workflows': () => Response.json({ items: [], nextCursor: null }),
  });
  const { contents } = await client.readResource({ uri: `pilothouse://runs/${RUN}` });
  expect(JSON.stringify(contents)).toContain(output.page);
  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ mimeType: contents[0]?.mimeType }]);
});
