import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningRequest } from '@pilothouse/core/ports/tuner.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { startTuningServer, type TuningServer } from '@pilothouse/testing/tuning-server/tuning-server';
import { createTuner } from './create-tuner.ts';

const folder = mkdtempSync(join(tmpdir(), 'pilothouse-tuner-spec-'));
const keyFile = join(folder, 'key.json');
const [trainingFile, validationFile] = [join(folder, 'train.jsonl'), join(folder, 'validation.jsonl')];
let server: TuningServer;

beforeEach(async () => {
  server = await startTuningServer();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credentials = {
    ...{ type: 'service_account', client_email: 'tuner@harbour.example', token_uri: `${server.url}/vertex/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  writeFileSync(keyFile, JSON.stringify(credentials));
  writeFileSync(trainingFile, '{"messages":[]}\n'.repeat(3));
  writeFileSync(validationFile, '{"messages":[1]}\n');
});
afterEach(() => server.close());
afterAll(() => rmSync(folder, { recursive: true }));

const context = (): Context => ({
  signal: AbortSignal.timeout(20_000),
  deadline: performance.now() + 20_000,
  log: memoryLog(),
});
const key = '0197f3c2-1a2b-7c3d-8e4f-0123456789ab';
const aRequest = (facts: Partial<TuningRequest> = {}): TuningRequest => ({
  ...{ key, baseModel: 'base', displayName: 'Rope', method: 'supervised', hyperparameters: { epochs: 2 } },
  training: { name: 'train.jsonl', path: trainingFile, uri: 'gs://bucket/train.jsonl' },
  validation: { name: 'validation.jsonl', path: validationFile, uri: 'gs://bucket/validation.jsonl' },
  ...facts,
});

const kinds = ['openai', 'together', 'fireworks', 'vertex'] as const;
type Kind = (typeof kinds)[number];
function tunerOf(kind: Kind): Tuner {
  const apiKey = 'a-secret-key';
  if (kind === 'vertex') {
    const vertex = { project: 'harbour', location: 'europe-west4', keyFile };
    return createTuner({ kind, name: 'vertex', endpoint: { apiKey: '', baseUrl: `${server.url}/vertex`, vertex } });
  }
  const baseUrl = `${server.url}/${kind}/v1${kind === 'fireworks' ? '/accounts/team' : ''}`;
  return createTuner({ kind, name: kind, endpoint: { apiKey, baseUrl } });
}

describe.each(kinds)('%s', (kind) => {
  test('tunes a model from its files', async () => {
    const tuner = tunerOf(kind);
    expect(await tuner.find(key, context())).toBeNull();
    const id = await tuner.start(aRequest(), context());
    expect(await tuner.find(key, context())).toBe(id);
    const [job] = server.jobs;
    if (!job) throw new Error('No job was created');
    expect(await tuner.read(id, context())).toMatchObject({ status: 'queued', model: null, error: null });
    Object.assign(job, {
      status: 'running',
      loss: [
        { step: 1, loss: 2.5 },
        { step: 2, loss: 1.5, validationLoss: 1.75 },
      ],
    });
    const running = await tuner.read(id, context());
    expect(running).toMatchObject({ status: 'running', model: null });
    if (kind !== 'vertex')
      expect(running?.loss).toEqual([
        { step: 1, trainingLoss: 2.5, validationLoss: null },
        { step: 2, trainingLoss: 1.5, validationLoss: 1.75 },
      ]);
    if (kind === 'fireworks') expect(running?.progress).toBe(0.2);
    Object.assign(job, { status: 'succeeded', model: 'tuned' });
    expect(await tuner.read(id, context())).toMatchObject({ status: 'succeeded', model: 'tuned', trainedTokens: 1000 });
    if (kind !== 'vertex')
      expect([...server.files.values()].map(String)).toEqual(['{"messages":[]}\n'.repeat(3), '{"messages":[1]}\n']);
    else
      expect(job.request).toMatchObject({
        supervisedTuningSpec: { trainingDatasetUri: 'gs://bucket/train.jsonl', hyperParameters: { epochCount: 2 } },
      });
  });

  test('finds a job whose answer was lost', async () => {
    const tuner = tunerOf(kind);
    server.losesNextAnswer = true;
    await expect(tuner.start(aRequest(), context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(await tuner.find(key, context())).toBe(server.jobs[0]?.id);
    expect(await tuner.find(key.replace('ab', 'cd'), context())).toBeNull();
  });

  test('a call ends at the deadline of its context', async () => {
    const tuner = tunerOf(kind);
    const answered = Promise.withResolvers<null>();
    server.onJob = async () => void (await answered.promise);
    const started = tuner.start(aRequest(), { ...context(), deadline: performance.now() + 1_000 });
    await expect(started).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    answered.resolve(null);
  });

  test('reports the error of a failed job', async () => {
    const tuner = tunerOf(kind);
    const id = await tuner.start(aRequest(), context());
    Object.assign(server.jobs[0] ?? {}, { status: 'failed', error: 'Line 2 has no messages' });
    expect(await tuner.read(id, context())).toMatchObject({
      status: 'failed',
      error: 'Line 2 has no messages',
      model: null,
    });
  });

  test('cancels a job, and an ended or unknown one without effect', async () => {
    const tuner = tunerOf(kind);
    const id = await tuner.start(aRequest(), context());
    await tuner.cancel(id, context());
    expect(await tuner.read(id, context())).toMatchObject({ status: 'cancelled' });
    await tuner.cancel(id, context());
    await tuner.cancel(id.replace(/.$/, 'x'), context());
  });

  test('a job that the tuner lost is null, an outage and a wrong key are errors', async () => {
    const tuner = tunerOf(kind);
    const id = await tuner.start(aRequest(), context());
    server.failure = 503;
    await expect(tuner.read(id, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    server.failure = 401;
    const error = await tuner.read(id, context()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_NOT_CONFIGURED' });
    expect(String(error)).not.toContain('a-secret-key');
    server.failure = undefined;
    server.jobs.length = 0;
    expect(await tuner.read(id, context())).toBeNull();
  });

  test('preference pairs are trained where the tuner can', async () => {
    const started = tunerOf(kind).start(aRequest({ method: 'preference', hyperparameters: { beta: 0.1 } }), context());
    if (kind === 'fireworks') return expect(started).rejects.toThrow('Fireworks has supervised tuning only');
    await started;
    expect(JSON.stringify(server.jobs[0]?.request)).toMatch(kind === 'vertex' ? /preferenceOptimizationSpec/ : /"dpo"/);
  });
});

// The ids of Fireworks are chosen by the client.
test.each(['openai', 'together', 'vertex'] as const)(
  '%s: an answer without an id is an error, and the job is found',
  async (kind) => {
    const tuner = tunerOf(kind);
    server.omitsNextId = true;
    await expect(tuner.start(aRequest(), context())).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('The answer has no id'),
    });
    expect(await tuner.find(key, context())).toBe(server.jobs[0]?.id);
  },
);

test('Vertex AI needs a file in a bucket, and a known adapter size', async () => {
  const tuner = tunerOf('vertex');
  const training = { name: 'train.jsonl', path: trainingFile, uri: null };
  await expect((async () => tuner.start(aRequest({ training }), context()))()).rejects.toThrow(
    'Copy the file to a bucket',
  );
  const hyperparameters = { adapterSize: 3 };
  await expect((async () => tuner.start(aRequest({ hyperparameters }), context()))()).rejects.toThrow(
    'Use one of 1, 2, 4, 8, 16, 32.',
  );
});

test('log lines have the time of their event, and the result file completes the loss curve', async () => {
  const tuner = tunerOf('openai');
  const id = await tuner.start(aRequest(), context());
  const loss = [{ step: 3, loss: 0.5, validationLoss: 0.75 }];
  Object.assign(server.jobs[0] ?? {}, { status: 'succeeded', model: 'tuned', hasOnlyResultFile: true, loss });
  expect(await tuner.read(id, context())).toMatchObject({
    messages: [{ at: '2026-09-21T14:13:20.000Z', text: 'Created fine-tuning job' }, { text: 'The job is succeeded' }],
    loss: [{ step: 3, trainingLoss: 0.5, validationLoss: 0.75 }],
  });
});

test('Vertex AI reports its dataset and checkpoints as log lines', async () => {
  const tuner = tunerOf('vertex');
  const id = await tuner.start(aRequest(), context());
  Object.assign(server.jobs[0] ?? {}, { status: 'succeeded', model: 'tuned' });
  const state = await tuner.read(id, context());
  expect(state?.messages.map(({ text }) => text)).toEqual([
    'Dataset: 3 examples, 1000 billable tokens',
    'Checkpoint 1: epoch 1, step 12',
  ]);
});

test('an upload of Fireworks continues with the dataset of an earlier attempt', async () => {
  const tuner = tunerOf('fireworks');
  server.files.set('ph-0123456789ab-train', Buffer.from('earlier'));
  await tuner.start(aRequest({ validation: null }), context());
  expect([...server.files.values()].map(String)).toEqual(['earlier']);
});

test('an OpenAI-compatible list is searched page by page', async () => {
  for (let index = 0; index < 150; index += 1) server.addJob(`other-${index}`, {});
  const tuner = tunerOf('openai');
  const id = await tuner.start(aRequest(), context());
  expect(await tuner.find(key, context())).toBe(id);
});

describe('the metrics file of Fireworks', () => {
  const losses = (count: number) => Array.from({ length: count }, (_, step) => ({ step, loss: 1 / (step + 1) }));
  async function tunedJob() {
    const tuner = tunerOf('fireworks');
    const id = await tuner.start(aRequest(), context());
    const [job] = server.jobs;
    if (!job) throw new Error('No job was created');
    const read = async () => {
      const requestCount = server.requests.length;
      const { loss } = (await tuner.read(id, context()))!;
      const parts = server.requests.slice(requestCount).filter(({ path }) => path.includes('/metrics/'));
      return {
        steps: loss.map(({ step }) => step),
        starts: parts.map(({ range }) => /^bytes=(\d+)-/.exec(range)?.[1]),
      };
    };
    return { job, read };
  }

  test('is continued where the last read ended, with its incomplete line', async () => {
    const { job, read } = await tunedJob();
    job.loss = losses(3);
    expect(await read()).toEqual({ steps: [0, 1, 2], starts: ['0'] });
    job.loss = losses(5);
    const { steps, starts } = await read();
    expect(steps).toEqual([2, 3, 4]);
    expect(Number(starts[0])).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ steps: [4] });
  });

  test('is read in parts of 1 MiB, eight at a time', async () => {
    const { job, read } = await tunedJob();
    job.loss = losses(200_000);
    const first = await read();
    expect(first.starts).toHaveLength(8);
    const second = await read();
    const steps = new Set([...first.steps, ...second.steps]);
    expect(steps.size).toBe(200_000);
    expect(first.steps.length + second.steps.length).toBeLessThan(300_020);
  });

  test('is read whole at a service without ranges, and only new points are reported', async () => {
    server.hasNoRanges = true;
    const { job, read } = await tunedJob();
    job.loss = losses(3);
    expect((await read()).steps).toEqual([0, 1, 2]);
    job.loss = losses(4);
    expect((await read()).steps).toEqual([2, 3]);
  });

  test('is continued after a service that did not send it', async () => {
    const { job, read } = await tunedJob();
    job.loss = losses(2);
    server.failedPath = '/metrics/';
    expect((await read()).steps).toEqual([]);
    server.failedPath = undefined;
    expect((await read()).steps).toEqual([0, 1]);
  });
});
