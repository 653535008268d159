import { createClient, unwrapData, type Client } from '@pilothouse/client';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { startApi, type TestApi } from './testing/test-api.fixture.ts';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await startApi();
  client = createClient({ url: api.url, key: api.admin });
}, 60_000);
afterAll(() => api.close());

const steps = [{ action: 'screenshot' as const }];
const submit = async () => (await unwrapData(client.api.POST('/v1/runs', { body: { steps } }))).id;

const typesOf = async (events: AsyncIterable<RunEvent>) => {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
};

test('lists accept several values', async () => {
  const labels = ['a:1', 'b:x,y & z'];
  const created = await unwrapData(client.api.POST('/v1/runs', { body: { steps, labels: { a: '1', b: 'x,y & z' } } }));
  const query = { status: ['queued' as const, 'running' as const], labels };
  const { items } = await unwrapData(client.api.GET('/v1/runs', { params: { query } }));
  expect(items.map(({ id }) => id)).toEqual([created.id]);
});

test('events are followed to the end, and the end can be awaited', async () => {
  const run = await submit();
  const followed = typesOf(client.events(run));
  const waiting = client.waitForEnd(run, { seconds: 20 });
  await api.startRun(run);
  await api.complete(run, { ok: true });
  expect(await followed).toEqual(['run.queued', 'run.assigned', 'step.started', 'run.completed']);
  expect(await waiting).toMatchObject({ status: 'completed', output: { ok: true } });
  expect(await typesOf(client.events(run, { after: 4 }))).toEqual([]);
});

test('the wait ends on timeout, or with the signal', async () => {
  const run = await submit();
  await expect(client.waitForEnd(run, { seconds: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(client.waitForEnd(run, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

test('a file is uploaded and then usable', async () => {
  const content = new TextEncoder().encode('one, two\n');
  const upload = await client.upload({ name: 'list.csv', contentType: 'text/csv', content });
  const definition = {
    name: 'attach',
    inputs: { list: { type: 'file' as const } },
    steps: [{ action: 'upload' as const, target: { css: 'input' }, file: '{{inputs.list}}' }],
  };
  const run = await unwrapData(client.api.POST('/v1/runs', { body: { definition, inputs: { list: upload.id } } }));
  expect(run.status).toBe('queued');
});

test('an API error is thrown with its problem', async () => {
  const wrong = client.api.GET('/v1/workflows/{workflow}', { params: { path: { workflow: 'none' } } });
  await expect(wrong).rejects.toMatchObject({
    code: 'NOT_FOUND',
    problem: { status: 404 },
    message: 'Workflow none not found.',
  });
});
