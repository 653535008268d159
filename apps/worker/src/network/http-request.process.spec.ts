import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { isNonIdempotent, type Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { NullSurfaceHost } from '../surface/null.surface.ts';
import { until } from '@pilothouse/testing/test-helpers';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const secret = 'hush-hush-42';
const json = { 'content-type': 'application/json; charset=utf-8' };
const replies: Record<string, (response: ServerResponse, received: ReceivedRequest) => void> = {
  '/rows': (response) => response.writeHead(200, json).end('[{"sku":"A","stock":3}]'),
  '/text': (response) => response.end('plain'),
  '/made': (response, { headers, body }) =>
    response.writeHead(201, json).end(JSON.stringify({ id: 7, said: headers.authorization, body: JSON.parse(body) })),
  '/wrong': (response) => response.writeHead(409).end('there is one already'),
  '/moved': (response) => response.writeHead(302, { location: '/rows' }).end(),
  '/away': (response) => response.writeHead(302, { location: `${elsewhere}/rows` }).end(),
  '/circle': (response) => response.writeHead(302, { location: '/circle' }).end(),
  '/large': (response) => response.end('x'.repeat(5000)),
  '/hangs': (response) => {
    response.on('close', () => void (remainingFailures += 1));
    hung.resolve(null);
  },
  // Responds to pairs of requests only.
  '/meet': (response) => {
    meeting.push(response);
    if (meeting.length === 2)
      meeting.splice(0).forEach((waitingResponse, index) => waitingResponse.writeHead(200, json).end(String(index)));
  },
  '/wrong-then': (response) => void hung.promise.then(() => response.writeHead(409).end('no')),
};
const meeting: ServerResponse[] = [];
let hung = Promise.withResolvers<unknown>();
let remainingFailures = 0;

let received: ReceivedRequest[] = [];
let origin: string;
let elsewhere: string;
const servers: Server[] = [];

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const receivedRequest = { method: request.method, url: request.url, headers: request.headers, body };
      received.push(receivedRequest);
      (replies[request.url ?? ''] ?? ((reply) => reply.writeHead(404).end()))(response, receivedRequest);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  origin = await serve();
  elsewhere = await serve();
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

let gateway: ScriptedGateway;
let root: string;
let worker: Worker;

beforeEach(async () => {
  received = [];
  gateway = await ScriptedGateway.start();
  root = await mkdtemp(join(tmpdir(), 'pilothouse-worker-spec-'));
});
afterEach(async () => {
  gateway.terminateConnections();
  worker.abort('the spec is over');
  await worker.completion.catch(() => undefined);
  await gateway.close();
  await rm(root, { recursive: true });
});

async function runToEnd(
  source: Omit<WorkflowDefinitionInput, 'name'>,
  fields: Partial<Assignment> = {},
  allowedPrivateHosts = ['127.0.0.1'],
) {
  worker = await startWorker(root, {
    url: gateway.url,
    surfaceHost: new NullSurfaceHost({}),
    allowedPrivateHosts: parseHostRules(allowedPrivateHosts),
  });
  await gateway.until(() => gateway.all('ready').length > 0);
  const run = buildAssignment(source, fields);
  gateway.assign(run);
  await gateway.until(() => gateway.log.outcome(run) !== undefined, 'the run ended');
  return { run, outcome: gateway.log.outcome(run) };
}

const get = (path: string, fields: Partial<Step & { action: 'http' }> = {}): Step => ({
  id: 'it',
  action: 'http',
  url: `${origin}${path}`,
  ...fields,
});

test('the response is the value, and templates preserve its types', async () => {
  gateway.secrets.set('token', secret);
  const { run, outcome } = await runToEnd(
    {
      inputs: { token: { type: 'string', secret: true } },
      steps: [
        { ...get('/rows'), id: 'rows' },
        get('/made', {
          method: 'POST',
          headers: { Authorization: 'Bearer {{inputs.token}}' },
          json: { stock: '{{steps.rows.value.body.0.stock}}', token: '{{inputs.token}}', of: ['{{run.id}}'] },
          status: [200, 201],
        }),
        { ...get('/text'), id: 'text' },
      ],
      output: {
        id: '{{steps.it.value.body.id}}',
        status: '{{steps.it.value.status}}',
        text: '{{steps.text.value.body}}',
      },
    },
    { secrets: ['token'] },
  );
  expect(outcome).toMatchObject({ status: 'completed', output: { id: 7, status: 201, text: 'plain' } });
  expect(received[1]).toMatchObject({
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  });
  expect(JSON.parse(received[1]?.body ?? '')).toEqual({ stock: 3, token: secret, of: [run.run] });
  expect(gateway.all('secret.request').map(({ origin: secretOrigin }) => secretOrigin)).toEqual([origin, origin]);
  const log = JSON.stringify(gateway.log.of(run));
  expect(log).toContain('/made');
  expect(log).not.toContain(secret);
});

test.each<[string, () => Step, string]>([
  ['an unexpected status', () => get('/wrong'), '/wrong: status 409, expected 200 to 299: there is one already'],
  ['a large response', () => get('/large', { maxBytes: 1000 }), 'the response is larger than 1000 bytes (maxBytes)'],
  ['a redirect loop', () => get('/circle'), '/circle: more than 10 redirects'],
  [
    'an invalid URL',
    () => ({ action: 'http', url: 'ftp://a.test/x' }),
    'ftp://a.test/x must be an absolute http or https URL',
  ],
])('%s fails the step', async (_, step, message) => {
  const { outcome } = await runToEnd({ steps: [step()] });
  expect(outcome).toMatchObject({
    status: 'failed',
    error: { code: 'REQUEST_FAILED', message: expect.stringContaining(message) },
  });
});

test('a missing response ends with the timeout of the step', async () => {
  const { outcome } = await runToEnd({ steps: [get('/hangs', { timeout: 0.2 })] });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'STEP_TIMED_OUT' } });
});

test('redirects are followed without credentials for another origin; not after a POST', async () => {
  const headers = { 'x-key': 'k' };
  const { outcome } = await runToEnd({
    steps: [
      get('/moved', { headers }),
      { ...get('/away', { headers, body: 'k' }), id: 'away' },
      get('/moved', { id: 'post', method: 'POST', status: 302 }),
    ],
    output: ['{{steps.it.value.body.0.sku}}', '{{steps.away.value.status}}', '{{steps.post.value.status}}'],
  });
  expect(outcome).toMatchObject({ output: ['A', 200, 302] });
  expect(received.map(({ url, headers: sentHeaders, body }) => [url, sentHeaders['x-key'], body])).toEqual([
    ['/moved', 'k', ''],
    ['/rows', 'k', ''],
    ['/away', 'k', 'k'],
    ['/rows', undefined, ''],
    ['/moved', undefined, ''],
  ]);
});

describe('parallel requests', () => {
  const branch = (path: string, fields: object = {}) => ({
    action: 'http' as const,
    url: `${origin}${path}`,
    ...fields,
  });

  test('are sent concurrently, and each returns its value', async () => {
    gateway.secrets.set('token', secret);
    const { run, outcome } = await runToEnd(
      {
        inputs: { token: { type: 'string', secret: true }, amount: { type: 'integer', default: 3 } },
        steps: [
          {
            id: 'both',
            action: 'parallel',
            branches: {
              one: branch('/meet'),
              two: branch('/meet'),
              made: branch('/made', {
                method: 'POST',
                headers: { authorization: '{{inputs.token}}' },
                json: { amount: '{{inputs.amount}}' },
                status: 201,
              }),
            },
          },
        ],
        output: {
          met: ['{{steps.both.value.one.status}}', '{{steps.both.value.two.status}}'],
          made: '{{steps.both.value.made.body.body.amount}}',
        },
      },
      { secrets: ['token'], inputs: { amount: 3 } },
    );
    expect(outcome).toMatchObject({ status: 'completed', output: { met: [200, 200], made: 3 } });
    const events = gateway.log.of(run);
    expect(events.filter(({ type }) => type === 'step.started')).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  test('end with the first failure, which is named; the others are stopped', async () => {
    remainingFailures = 0;
    hung = Promise.withResolvers();
    const { outcome } = await runToEnd({
      steps: [{ action: 'parallel', branches: { slow: branch('/hangs'), wrong: branch('/wrong-then') } }],
    });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        code: 'REQUEST_FAILED',
        message: expect.stringMatching(/^wrong: .* status 409/),
        details: { branch: 'wrong' },
      },
    });
    await until('the other request was aborted', () => remainingFailures === 1);
  });

  test('a failed request is caught like a failed step', async () => {
    const { outcome } = await runToEnd({
      steps: [
        {
          action: 'try',
          steps: [{ action: 'parallel', branches: { a: branch('/rows'), b: branch('/wrong') } }],
          catch: [{ ...get('/text'), id: 'text' }],
        },
      ],
      output: '{{steps.text.value.body}}',
    });
    expect(outcome).toMatchObject({ status: 'completed', output: 'plain' });
  });

  test('non-idempotent requests are not repeated automatically', () => {
    const step = (method: 'GET' | 'POST', fields = {}): Step => ({
      action: 'parallel',
      branches: { a: branch('/rows'), b: branch('/made', { method }) },
      ...fields,
    });
    expect([
      isNonIdempotent(step('GET')),
      isNonIdempotent(step('POST')),
      isNonIdempotent(step('POST', { idempotent: true })),
    ]).toEqual([false, true, false]);
  });
});

test('a private address is refused unless the worker allows it', async () => {
  const { outcome } = await runToEnd({ steps: [get('/rows')] }, {}, []);
  expect(outcome).toMatchObject({
    status: 'failed',
    error: { code: 'EGRESS_BLOCKED', message: expect.stringContaining('is not a public address') },
  });
  expect(received).toEqual([]);
});
