import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStorage } from '@pilothouse/infra-blob';
import { readEventsAfter } from '@pilothouse/infra-db';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../testing/protocol-worker.fixture.ts';

/*
 * Tests traces of model calls in a real object store.
 */
describe('prompts and answers', () => {
  const harness = useGatewayHarness();
  let server: ModelServer;
  let dir: string;
  let store: BlobStore;
  beforeAll(async () => {
    server = await startModels();
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-traces-'));
    const link = { apiBaseUrl: 'http://127.0.0.1', signingSecret: randomBytes(32) };
    ({ store } = await createObjectStorage({ store: { kind: 'folder', dir }, ...link }, systemClock));
    harness.models = {
      endpoints: {
        gemini: { apiKey: 'a-key', baseUrl: server.url },
        home: { protocol: 'openai', apiKey: 'a-key', baseUrl: `${server.url}/v1` },
      },
      overrides: { 'home/*': { dialect: 'aura' } },
      fallback: { use: ['gemini/gemini-2.5-flash'] },
    };
    harness.store = store;
  });
  afterAll(async () => {
    await server.close();
    await rm(dir, { recursive: true });
  });

  const image = { contentType: 'image/jpeg' as const, data: Buffer.from('an image').toString('base64') };
  const request: ModelRequest = {
    role: 'vision',
    prompt: { name: 'see', version: 1 },
    system: 'The rules',
    messages: [{ role: 'user', parts: [{ text: 'Type {{inputs.password}}' }, { image }] }],
    maxTokens: 100,
  };
  let id = 0;

  async function createHolder(
    fields: Parameters<typeof harness.submit>[0] = {},
  ): Promise<{ worker: ProtocolWorker; attempt: Attempt }> {
    const worker = harness.worker();
    await worker.connect();
    return { worker, attempt: await worker.acceptAssignment(await harness.submit(fields)) };
  }
  function send(
    { worker, attempt }: { worker: ProtocolWorker; attempt: Attempt },
    fields: Partial<ModelRequest> = {},
  ): number {
    id += 1;
    worker.send({
      type: 'model.request',
      id,
      ...attempt,
      step: 0,
      request: { ...request, ...fields },
      timeoutMs: 30_000,
    });
    return id;
  }
  async function requestModel(
    holder: { worker: ProtocolWorker; attempt: Attempt },
    fields: Partial<ModelRequest> = {},
  ): Promise<void> {
    const requestId = send(holder, fields);
    await holder.worker.waitFor('model.response', (message) => message.id === requestId);
  }
  const events = async ({ attempt }: { attempt: Attempt }): Promise<RunEvent[]> =>
    readEventsAfter(harness.pool, attempt.run, 0);
  const storedTraces = async (run: string) =>
    (
      await harness.pool.query<{ id: string; name: string; key: string }>(
        `SELECT id, name, key FROM artifact WHERE run_id = $1 AND stored_at IS NOT NULL ORDER BY name`,
        [run],
      )
    ).rows;

  test('are files named by the event; an image is stored once', async () => {
    const holder = await createHolder({ capture: { screenshots: 'none', trace: 'full' } });
    server.next({ text: 'The first' }, { text: 'The second' });
    await requestModel(holder);
    await requestModel(holder);
    const files = await storedTraces(holder.attempt.run);
    expect(files.map(({ name }) => name.replace(/[0-9a-f]{8}/, '…'))).toEqual([
      'model-image-….jpg',
      'model-vision-….json',
      'model-vision-….json',
    ]);
    const [imageFile] = files;
    expect(await buffer(await store.get(imageFile?.key ?? ''))).toEqual(Buffer.from('an image'));
    const callEvents = (await events(holder)).filter(({ type }) => type === 'model.called');
    expect(callEvents).toHaveLength(2);
    for (const [index, text] of ['The first', 'The second'].entries()) {
      const file = files.find((candidate) => candidate.id === callEvents[index]?.data['trace']);
      const trace: unknown = JSON.parse((await buffer(await store.get(file?.key ?? ''))).toString());
      expect(trace).toMatchObject({
        request: {
          system: 'The rules',
          messages: [
            {
              parts: [
                { text: 'Type {{inputs.password}}' },
                { image: { contentType: 'image/jpeg', artifact: imageFile?.id } },
              ],
            },
          ],
        },
        answer: { text, finish: 'stop' },
      });
      expect(JSON.stringify(trace)).not.toContain(image.data);
    }
    const created = (await events(holder)).filter(({ type }) => type === 'artifact.created');
    expect(new Set(created.map(({ data }) => data['artifact']))).toEqual(new Set(files.map((file) => file.id)));
    expect(created).toHaveLength(3);
  });

  test('contain the prompt text, even if the answer is invalid', async () => {
    const models = { default: { use: ['home/any'] }, trace: 'full' };
    await harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [harness.project, JSON.stringify(models)]);
    const holder = await createHolder({ capture: { screenshots: 'none', trace: 'full' } });
    server.next({ raw: '<html></html>' }, { status: 400 }, { text: '{"done":true}' });
    const press = { name: 'press', description: 'Presses', parameters: { type: 'object', properties: {} } };
    const requestId = send(holder, { tools: [press] });
    await holder.worker.waitFor('rejected', (message) => message.id === requestId);
    await requestModel(holder, { schema: { type: 'object', properties: { done: { type: 'boolean' } } } });
    const callEvents = (await events(holder)).filter(({ type }) => type === 'model.called');
    expect(callEvents.map(({ data }) => [data['finish'], data['dialect']])).toEqual([
      ['invalid', 'aura'],
      ['stop', undefined],
    ]);
    const files = await storedTraces(holder.attempt.run);
    const traces = callEvents.map(async ({ data }) => {
      const file = files.find((candidate) => candidate.id === data['trace']);
      return JSON.parse((await buffer(await store.get(file?.key ?? ''))).toString()) as { request: object };
    });
    const [words, form] = await Promise.all(traces);
    expect(words).toMatchObject({ request: { system: expect.stringContaining('You cannot call functions') } });
    expect(words?.request).not.toHaveProperty('tools');
    expect(form).toMatchObject({
      request: { system: expect.stringContaining('match this JSON Schema: {"type":"object"') },
      answer: { schemaMode: 'prompt' },
    });
    expect(form?.request).not.toHaveProperty('schema');
  });

  test.each([
    ['enabled by the project', {}, 'full', 1],
    ['enabled by the workflow', { definition: { trace: 'full' } }, null, 1],
    ['disabled by the run, enabled by its project', { capture: { screenshots: 'none', trace: 'none' } }, 'full', 0],
    ['disabled by default', {}, null, 0],
  ])(
    'are stored or not: %s',
    async (_, { definition, capture }: { definition?: object; capture?: object }, project, count) => {
      await harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [
        harness.project,
        project && JSON.stringify({ trace: project }),
      ]);
      const newRun = harness.newRun();
      const holder = await createHolder({
        ...(capture && { capture }),
        ...(definition && { definition: { ...(newRun.definition as object), ...definition } }),
      });
      server.next({ text: 'Yes' });
      await requestModel(holder);
      expect((await storedTraces(holder.attempt.run)).filter(({ name }) => name.endsWith('.json'))).toHaveLength(count);
      const callEvents = (await events(holder)).find(({ type }) => type === 'model.called');
      expect('trace' in (callEvents?.data ?? {})).toBe(count === 1);
    },
  );

  test('do not delay an answer when the object store hangs', async () => {
    harness.store = { put: () => Promise.reject(new Error('The disk is full')) } as unknown as BlobStore;
    await harness.closeGateway();
    harness.openGateway();
    const holder = await createHolder({ capture: { screenshots: 'none', trace: 'full' } });
    server.next({ text: 'Yes' });
    await requestModel(holder);
    const [callEvents] = (await events(holder)).filter(({ type }) => type === 'model.called');
    expect(callEvents?.data).not.toHaveProperty('trace');
    expect(await storedTraces(holder.attempt.run)).toEqual([]);
    expect(harness.log.lines.some((line) => JSON.stringify(line).includes('The disk is full'))).toBe(true);
  });
});
