import type { ServerResponse } from 'node:http';
import { TestServer } from '@pilothouse/testing/test-server';
import { gapsIn } from './harness/event-sequence.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

/*
 * A worker dies during a `parallel` step: one request has a response, the other one has none.
 */
describe('recovery during parallel requests', () => {
  let stack: Stack;
  let server: TestServer;
  let origin: string;
  /** Received requests, by method and path. */
  const prompt: string[] = [];
  const answeredPaths: string[] = [];
  /** True: requests to `/price` and `/hold` get no response. */
  let withheld = true;

  beforeAll(async () => {
    server = new TestServer((request, response: ServerResponse) => {
      const path = request.url ?? '';
      prompt.push(`${request.method} ${path}`);
      request.resume();
      if (withheld && ['/price', '/hold'].includes(path)) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ path, times: times(path) }), () => answeredPaths.push(path));
    });
    await server.start();
    origin = server.origin;
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    prompt.splice(0);
    answeredPaths.splice(0);
    withheld = true;
    stack = await Stack.start({ workers: 2 });
  });
  afterEach(() => stack?.stop());

  const times = (path: string) => prompt.filter((line) => line.endsWith(path)).length;

  const submitted = (method: 'GET' | 'POST') =>
    stack.client.submit({
      definition: {
        name: 'both',
        steps: [
          {
            id: 'both',
            action: 'parallel',
            branches: {
              stock: { action: 'http', url: `${origin}/stock` },
              price: { action: 'http', url: `${origin}/price`, method },
            },
          },
          { id: 'after', action: 'http', url: `${origin}/after` },
        ],
        output: { stock: '{{steps.both.value.stock.body.times}}', price: '{{steps.both.value.price.body.times}}' },
      },
    });

  /** Kills the worker when one request has a response and the other one is pending. */
  const killBetween = async (id: string) => {
    const isBetween = () => answeredPaths.length > 0 && times('/price') > 0;
    await until('one request was answered, and the other has come', isBetween, 60_000);
    const { worker: holder } = await stack.client.run(id);
    const worker = stack.workers.find(({ name }) => name === holder);
    if (!worker) throw new Error(`The run says it is on ${holder}`);
    await worker.kill();
    withheld = false;
  };
  const startedBranches = async (id: string) =>
    (await stack.client.events(id))
      .filter(({ type }) => type === 'step.started')
      .map(({ epoch, data }) => [epoch, data['id']]);

  test('sends all of them again', async () => {
    const { id } = await submitted('GET');
    await killBetween(id);
    expect(await stack.client.waitForEnd(id)).toMatchObject({
      status: 'completed',
      attempts: 2,
      output: { stock: 2, price: 2 },
    });
    expect(prompt.toSorted()).toEqual(['GET /after', 'GET /price', 'GET /price', 'GET /stock', 'GET /stock']);
    expect(await startedBranches(id)).toEqual([
      [1, 'both'],
      [2, 'both'],
      [2, 'after'],
    ]);
    expect(gapsIn(await stack.client.events(id))).toEqual([]);
  });

  test('restarts all branches with pages, and no earlier step', async () => {
    const open = (path: string) => [
      { action: 'navigate' as const, url: `${origin}${path}` },
      { id: 'times', action: 'extract' as const, target: { css: 'body' }, value: { pattern: '"times":(\\d+)' } },
    ];
    const { id } = await stack.client.submit({
      definition: {
        name: 'pages',
        steps: [
          { action: 'navigate', url: `${origin}/before` },
          {
            id: 'both',
            action: 'parallel',
            // A branch that has completed is not restarted.
            branches: {
              stock: [...open('/stock'), { action: 'navigate', url: `${origin}/hold` }],
              price: open('/price'),
            },
          },
        ],
        output: ['{{steps.both.value.stock.times}}', '{{steps.both.value.price.times}}'],
      },
    });
    const hasRead = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
      type === 'branch.step_completed' && data['branch'] === 'stock' && data['sequence'] === 2;
    await stack.client.waitForEvent(id, hasRead);
    await killBetween(id);
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed', attempts: 2, output: ['2', '2'] });
    const events = await stack.client.events(id);
    expect(gapsIn(events)).toEqual([]);
    expect(await startedBranches(id)).toEqual([
      [1, null],
      [1, 'both'],
      [2, 'both'],
    ]);
  });

  test('asks a person if a request is not idempotent, and sends nothing before the answer', async () => {
    const { client } = stack;
    const { id } = await submitted('POST');
    await killBetween(id);
    await client.waitForEvent(id, ({ type }) => type === 'run.awaiting_user');
    expect(await client.run(id)).toMatchObject({ status: 'awaiting_user', question: { step: 0, id: 'both' } });
    expect(prompt.toSorted()).toEqual(['GET /stock', 'POST /price']);
    const answer = await client.request(`/v1/runs/${id}/answer`, { method: 'POST', body: { choice: 'retry' } });
    expect(answer.status).toBe(200);
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed', output: { stock: 2, price: 2 } });
    expect(times('/after')).toBe(1);
    expect(gapsIn(await client.events(id))).toEqual([]);
  });
});
