import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { EvaluationResult } from '@pilothouse/contract/learning/offline-evaluation.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStore } from '@pilothouse/infra-blob';
import { jobsConfig } from '@pilothouse/infra-config';
import { createPool, JobStore, RegistryStore, type Pool } from '@pilothouse/infra-db';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { createJobHandlers } from '../job-handlers.ts';
import { JobsApp } from '../jobs-app.ts';

let database: TestDatabase;
let pool: Pool;
let folder: string;
let objects: BlobStore;
let models: ModelServer;
let app: JobsApp;
let startApp: () => Promise<void>;
let jobs: JobStore;
let registry: RegistryStore;
const project = randomUUID();

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  folder = await mkdtemp(join(tmpdir(), 'evaluate-spec-'));
  models = await startModels();
  const config = jobsConfig({
    ...{ DATABASE_URL: database.url, REDIS_URL: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' },
    ...{ OBJECT_STORE_DIR: folder, PILOTHOUSE_REDIS_PREFIX: `t${randomUUID().slice(0, 8)}` },
    ...{ PILOTHOUSE_JOBS_PORT: '0', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
    ...{ OPENAI_API_KEY: 'key-of-openai', OPENAI_BASE_URL: `${models.url}/v1` },
  });
  objects = await createObjectStore(config.objectStore, systemClock);
  jobs = new JobStore(pool);
  registry = new RegistryStore(pool);
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
  const timing = { leaseMs: 10_000, renewMs: 500, pollMs: 100 };
  startApp = async () => {
    app = await JobsApp.start({ config, createHandlers: createJobHandlers, log: memoryLog(), timing });
  };
  await startApp();
}, 60_000);
beforeEach(() => (models.requests.length = 0));
afterAll(async () => {
  await app.stop(5_000, 5_000, new AbortController().signal);
  await models.close();
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const run = randomUUID();
const bounds = { x: 100, y: 200, width: 100, height: 40 };

/** A good step: a click on button 3. */
const anExample = (ordinal: number, facts: Partial<DatasetExample> = {}): DatasetExample => ({
  ...{ run, ordinal, split: 'test', workflow: 'order', site: 'shop.test', at: '2026-11-01T12:00:00.000Z' },
  ...{ surface: 'browser', goal: 'Order', input: { system: 'You operate a browser.', text: `Turn ${ordinal}.` } },
  ...{
    prompt: { name: 'act-text', version: 10 },
    tier: 'text',
    turnSource: 'model',
    model: 'gemini/base',
    dialect: 'calls',
  },
  page: {
    ...{ url: 'https://shop.test/', title: 'Shop', viewport: { width: 1000, height: 800 } },
    elements: [{ index: 3, role: 'button', name: 'Order', state: {}, tags: [], bounds }],
  },
  ...{
    image: null,
    thought: 'Order.',
    expects: null,
    outcome: 'Page: Order',
    quality: 'good',
    labelSource: 'person',
  },
  actions: [{ kind: 'act', action: { action: 'click', target: { elementIndex: 3 } }, target: bounds }],
  ...{ reason: 'Verified', correction: null, textHash: 'b'.repeat(64) },
  ...facts,
});

async function addDataset(name: string, examples: readonly DatasetExample[]): Promise<string> {
  const id = randomUUID();
  const splits: Record<string, number> = {};
  for (const { split } of examples) splits[split] = (splits[split] ?? 0) + 1;
  const lines = examples.map((example) => `${JSON.stringify(example)}\n`).join('');
  const options = { contentType: 'application/x-ndjson', maxBytes: 1_000_000 };
  await objects.put(`datasets/${id}/examples-00001.jsonl`, Buffer.from(lines), options);
  await pool.query(
    `INSERT INTO dataset (id, project_id, name, version, status, query, shares, seed, license, consent, card)
     VALUES ($1, $2, $3, 1, 'ready', '{}', '{}', 1, '', '', $4)`,
    [
      id,
      project,
      name,
      JSON.stringify({ splits, files: [{ name: 'examples-00001.jsonl', examples: examples.length }] }),
    ],
  );
  return id;
}

const register = (name: string) => {
  const body = {
    name,
    model: `gemini/${name}`,
    base: 'gemini/gemini-2.5-flash',
    dialect: 'aura' as const,
    metrics: {},
  };
  return registry.register(randomUUID(), project, body, null);
};

async function start(params: Record<string, string>, budgetUsd?: number): Promise<string> {
  const job = { id: randomUUID(), project, kind: 'evaluate', params } as const;
  return (await jobs.insert({ ...job, ...(budgetUsd !== undefined && { budgetUsd }) })).id;
}

async function ended(id: string): Promise<Job> {
  await until('the end of the job', async () => (await jobs.read(project, id))?.finishedAt !== null, 20_000);
  return (await jobs.read(project, id))!;
}

const click = (element: number) => `{"thought":"x","actions":[{"action":"click","element":${element}}]}`;
const turnIn = (text: string) => Number(/Turn (\d+)\./.exec(text)?.[1]);
const usage = { input: 1_000, output: 100 };

test('the answers of a registered model are compared, and the result is a metric of its entry', async () => {
  await register('rope');
  const dataset = await addDataset('orders', [
    ...[1, 2, 3].map((ordinal) => anExample(ordinal)),
    anExample(4, { split: 'train' }),
    anExample(5, { quality: 'bad' }),
  ]);
  const answers: Record<number, string> = { 1: click(3), 2: click(7), 3: 'I do not know.' };
  models.policy = ({ text }) => ({ text: answers[turnIn(text)] ?? '', usage });
  const job = await ended(await start({ model: 'rope', dataset }));
  expect(job).toMatchObject({ status: 'completed', progress: { done: 4, total: 4, unit: 'examples' } });
  const result = job.result as unknown as EvaluationResult;
  expect(result).toMatchObject({
    ...{ model: 'gemini/rope', dataset: 'orders@1', split: 'test', job: job.id },
    actionMatchRate: { successes: 1, trials: 3, low: expect.any(Number), high: expect.any(Number) },
    ...{ kindMatchRate: { successes: 2, trials: 3 }, grounding: { count: 1, medianPixels: 0 } },
    tokens: { input: 3_000, output: 300 },
    errors: [{ count: 1, examples: [`${run}/3`] }],
    skipped: [{ reason: 'The step is bad and has no correction', count: 1, examples: [`${run}/5`] }],
  });
  expect(result.usd).toBeCloseTo(job.usedUsd, 9);
  expect(result.usd).toBeGreaterThan(0);
  expect(models.requests.map(({ text }) => turnIn(text)).sort()).toEqual([1, 2, 3]);
  expect(models.requests.every(({ model }) => model === 'rope')).toBe(true);
  expect((await registry.read(project, 'rope'))?.metrics).toEqual({ 'offline:orders@1': result });
});

test('an evaluation that exceeds its budget continues with a higher one, and pays for no example twice', async () => {
  const dataset = await addDataset(
    'budget',
    Array.from({ length: 12 }, (_, index) => anExample(index + 1)),
  );
  models.policy = () => ({ text: click(3), usage });
  const id = await start({ model: 'gemini/gemini-2.5-flash', dataset }, 0.02);
  const failed = await ended(id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
  expect(models.requests.length).toBeGreaterThan(0);
  expect(models.requests.length).toBeLessThan(12);
  expect(await jobs.retry(project, id, 10)).toBe(true);
  await until('the second attempt', async () => (await jobs.read(project, id))?.status === 'completed', 20_000);
  expect((await jobs.read(project, id))?.result).toMatchObject({ actionMatchRate: { trials: 12 } });
  const turns = models.requests.map(({ text }) => turnIn(text));
  expect(turns.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
});

const image = { sha256: 'c'.repeat(64), perceptualHash: '0'.repeat(16), width: 1000, height: 800, bytes: 3 };
const putImage = (dataset: string) =>
  objects.put(`datasets/${dataset}/images/c/${image.sha256}.jpg`, Buffer.from('jpg'), {
    ...{ contentType: 'image/jpeg', maxBytes: 100 },
  });

test('a vision step is asked with its screenshot, and one without the file is skipped', async () => {
  const dataset = await addDataset('vision', [
    anExample(1, { tier: 'vision', image }),
    anExample(2, { tier: 'vision', image: { ...image, sha256: 'd'.repeat(64) } }),
  ]);
  await putImage(dataset);
  models.policy = () => ({ calls: [{ name: 'act', args: { action: 'click', element: 3 } }], usage });
  const { result } = await ended(await start({ model: 'gemini/gemini-2.5-flash', dataset }));
  expect(result).toMatchObject({
    actionMatchRate: { successes: 1, trials: 1 },
    skipped: [{ reason: 'The screenshot is missing', count: 1, examples: [`${run}/2`] }],
  });
  expect(JSON.stringify(models.requests[0]?.body)).toContain(Buffer.from('jpg').toString('base64'));
});

test.each([
  [401, 'a wrong key'],
  [404, 'an unknown model'],
])('HTTP %i for a screenshot, because of %s, fails the evaluation', async (status) => {
  const dataset = await addDataset(`rejected-${status}`, [anExample(1, { tier: 'vision', image })]);
  await putImage(dataset);
  models.policy = () => ({ status });
  expect(await ended(await start({ model: 'gemini/gemini-2.5-flash', dataset }))).toMatchObject({
    ...{ status: 'failed', error: { code: 'MODEL_NOT_CONFIGURED' }, result: null },
  });
});

test('a vision step is an error of a model that takes no images', async () => {
  const dataset = await addDataset('blind', [anExample(1, { tier: 'vision', image }), anExample(2)]);
  await putImage(dataset);
  models.policy = () => ({ calls: [{ name: 'act', args: { action: 'click', element: 3 } }], usage });
  const { status, result } = await ended(await start({ model: 'openai/o3-mini', dataset }));
  expect({ status, result }).toMatchObject({
    status: 'completed',
    result: {
      actionMatchRate: { trials: 2 },
      errors: [{ reason: expect.stringContaining('with image input'), examples: [`${run}/1`] }],
    },
  });
  expect(models.requests.map(({ text }) => turnIn(text))).toEqual([2]);
});

test('an attempt stores all answers before the job is handed back', async () => {
  const dataset = await addDataset(
    'handed-back',
    Array.from({ length: 12 }, (_, index) => anExample(index + 1)),
  );
  const { promise: isDraining, resolve: drained } = Promise.withResolvers<null>();
  models.policy = async ({ text }) => {
    if (turnIn(text) > 8) await isDraining;
    return { text: click(3), usage };
  };
  const id = await start({ model: 'gemini/gemini-2.5-flash', dataset });
  await until('the last calls', () => models.requests.length === 12);
  const stopped = app.stop(20_000, 5_000, new AbortController().signal);
  drained(null);
  await stopped;
  const { rows } = await pool.query('SELECT status, checkpoint FROM job WHERE id = $1', [id]);
  expect(rows).toMatchObject([{ checkpoint: { nextIndex: 12 } }]);
  await startApp();
  expect(await ended(id)).toMatchObject({ status: 'completed', result: { actionMatchRate: { trials: 12 } } });
  expect(models.requests).toHaveLength(12);
});

test('a part without labels fails and names the reason', async () => {
  const dataset = await addDataset('unlabeled', [anExample(1, { quality: 'unknown' })]);
  const { error } = await ended(await start({ model: 'gemini/gemini-2.5-flash', dataset }));
  expect(error).toMatchObject({
    code: 'VALIDATION_FAILED',
    message:
      'The part test of unlabeled@1 has no example to ask about: The quality of the step is not known (1). Choose another `split`.',
  });
});

test('a dataset that is being deleted is not evaluated', async () => {
  const dataset = await addDataset('deleting', [anExample(1)]);
  await pool.query(`UPDATE dataset SET status = 'deleting' WHERE id = $1`, [dataset]);
  expect(await ended(await start({ model: 'gemini/gemini-2.5-flash', dataset }))).toMatchObject({
    ...{ status: 'failed', error: { code: 'NOT_FOUND' } },
  });
});

test('an evaluation waits until the deletion of its dataset ends, and then fails', async () => {
  const dataset = await addDataset('deletion-in-progress', [anExample(1)]);
  const deletion = await pool.connect();
  try {
    await deletion.query('BEGIN');
    await deletion.query(`UPDATE dataset SET status = 'deleting' WHERE id = $1`, [dataset]);
    const id = await start({ model: 'gemini/gemini-2.5-flash', dataset });
    await until('the job waits for the lock', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return (rowCount ?? 0) > 0;
    });
    await deletion.query('COMMIT');
    expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } });
    expect(models.requests).toEqual([]);
  } finally {
    deletion.release(true);
  }
});
