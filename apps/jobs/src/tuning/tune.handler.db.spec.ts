import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { startTuningSchema } from '@pilothouse/contract/learning/tuning.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStore } from '@pilothouse/infra-blob';
import type { JobsConfig, ModelEndpoint } from '@pilothouse/infra-config';
import { createPool, JobStore, readTuningCheckpoint, RegistryStore, type Pool } from '@pilothouse/infra-db';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { startTuningServer, type TuningServer } from '@pilothouse/testing/tuning-server/tuning-server';
import { JobsApp } from '../jobs-app.ts';
import { createTuneHandler } from './tune.handler.ts';

const dir = mkdtempSync(join(tmpdir(), 'pilothouse-tune-spec-'));
const objectStore = { kind: 'folder' as const, dir };
const project = randomUUID();
const examples = '{"messages":[]}\n'.repeat(100);
let database: TestDatabase;
let pool: Pool;
let jobs: JobStore;
let registry: RegistryStore;
let server: TuningServer;
let upload: string;
let jobRunners: JobsApp[] = [];

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  jobs = new JobStore(pool);
  registry = new RegistryStore(pool);
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  rmSync(dir, { recursive: true });
});
beforeEach(async () => {
  server = await startTuningServer();
  upload = randomUUID();
  const key = `uploads/${upload}/train.jsonl`;
  const store = await createObjectStore(objectStore, systemClock);
  await store.put(key, Buffer.from(examples), { contentType: 'application/json', maxBytes: examples.length });
  await pool.query(
    `INSERT INTO upload (id, project_id, name, content_type, size, key) VALUES ($1, $2, 'train.jsonl', 'application/json', $3, $4)`,
    [upload, project, examples.length, key],
  );
});
afterEach(async () => {
  for (const jobRunner of jobRunners.splice(0)) await stop(jobRunner);
  await server.close();
  await pool.query('DELETE FROM job');
  await pool.query('DELETE FROM registry_model');
});

const stop = (jobRunner: JobsApp) => jobRunner.stop(0, 5_000, new AbortController().signal);

function vertexEndpoint(): ModelEndpoint {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credentials = {
    ...{ type: 'service_account', client_email: 'tuner@harbour.example', token_uri: `${server.url}/vertex/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const keyFile = join(dir, 'key.json');
  writeFileSync(keyFile, JSON.stringify(credentials));
  const vertex = { project: 'harbour', location: 'europe-west4', keyFile };
  return { protocol: 'gemini', apiKey: 'none', baseUrl: `${server.url}/vertex`, vertex };
}

/** @param pollMs interval between two questions to the tuner */
async function startJobRunner(pollMs = 20): Promise<JobsApp> {
  const endpoint = { protocol: 'openai' as const, apiKey: 'key', baseUrl: `${server.url}/openai/v1` };
  const config: JobsConfig = {
    ...{
      databaseUrl: database.url,
      redisUrl: process.env.REDIS_URL ?? '',
      redisPrefix: project,
      port: 0,
      host: '127.0.0.1',
    },
    ...{ concurrency: 1, objectStore, log: { level: 'silent', format: 'json' } },
    models: {
      ...{ endpoints: { tuner: endpoint, vertex: vertexEndpoint() }, fallback: undefined, callsPerMinute: undefined },
      overrides: { 'tuner/base': { trainingUsdPerMillionTokens: 3 } },
    },
  };
  const jobRunner = await JobsApp.start({
    config,
    createHandlers: (dependencies) => ({ tune: createTuneHandler({ ...dependencies, pollMs }) }),
    log: memoryLog(),
    timing: { leaseMs: 3_000, renewMs: 50, pollMs: 100 },
  });
  jobRunners.push(jobRunner);
  return jobRunner;
}

async function addJob(facts: object = {}): Promise<string> {
  const body = {
    name: 'rope-v2',
    tuner: 'openai',
    endpoint: 'tuner',
    baseModel: 'base',
    training: { upload },
    role: 'act',
  };
  const params = startTuningSchema.parse({ ...body, ...facts });
  return (await jobs.insert({ id: randomUUID(), project, kind: 'tune', params })).id;
}
const untilJob = (id: string, matches: (job: Job) => boolean) =>
  until('the job changes', async () => {
    const job = await jobs.read(project, id);
    return job && matches(job) && job;
  });
const untilStatus = (id: string, status: string) => untilJob(id, (job) => job.status === status);
const untilStarted = () => until('the tuning job starts', () => server.jobs[0]);

test('uploads the examples, follows the tuning job, and registers the model', async () => {
  await startJobRunner();
  const id = await addJob();
  const tunerJob = await untilStarted();
  expect(server.files.get('file-1')?.toString()).toBe(examples);
  Object.assign(tunerJob, { status: 'running', loss: [{ step: 7, loss: 1.5 }] });
  await untilJob(id, ({ progress }) => progress?.done === 7);
  // The loss is read after the state, so it may be known first.
  await until('the job is known to run', async () =>
    (await readTuningCheckpoint(pool, project, id))?.states.some(({ state }) => state === 'running'),
  );
  Object.assign(tunerJob, { status: 'succeeded', model: 'ft:base:rope' });
  const { result } = await untilStatus(id, 'completed');
  expect(result).toMatchObject({
    ...{ model: 'tuner/ft:base:rope', registered: 'rope-v2', tunerJob: tunerJob.id, trainedTokens: 1000 },
    usd: 0.003,
  });
  expect(await readTuningCheckpoint(pool, project, id)).toMatchObject({
    states: expect.arrayContaining([
      expect.objectContaining({ state: 'running' }),
      expect.objectContaining({ state: 'succeeded' }),
    ]),
    messages: expect.arrayContaining([expect.objectContaining({ text: 'Step 7' })]),
    loss: [{ step: 7, trainingLoss: 1.5, validationLoss: null }],
    ...{ trainedTokens: 1000, usd: 0.003 },
  });
  expect(await registry.read(project, 'rope-v2')).toMatchObject({
    ...{ model: 'tuner/ft:base:rope', base: 'tuner/base', role: 'act', job: id, stage: 'registered' },
    metrics: { trainedTokens: 1000, finalLoss: 1.5 },
  });
});

test('trains with the files of an export, and registers the model with its dataset', async () => {
  const [dataset, exportId] = [randomUUID(), randomUUID()];
  const store = await createObjectStore(objectStore, systemClock);
  for (const name of ['train.jsonl', 'validation.jsonl']) {
    const body = Buffer.from(`{"file":"${name}"}\n`);
    const options = { contentType: 'application/x-ndjson', maxBytes: body.length };
    await store.put(`datasets/${dataset}/exports/${exportId}/${name}`, body, options);
  }
  await addExport(dataset, exportId);
  await startJobRunner();
  const id = await addJob({ training: { export: exportId }, validation: { export: exportId } });
  Object.assign(await untilStarted(), { status: 'succeeded', model: 'tuned' });
  await untilStatus(id, 'completed');
  expect([...server.files.values()].map(String)).toEqual(['{"file":"train.jsonl"}\n', '{"file":"validation.jsonl"}\n']);
  expect(await registry.read(project, 'rope-v2')).toMatchObject({ dataset });
});

test('Vertex AI reads an export at its destination', async () => {
  const [dataset, exportId] = [randomUUID(), randomUUID()];
  await addExport(dataset, exportId, 'gs://harbour/exports');
  await startJobRunner();
  const id = await addJob({ tuner: 'vertex', endpoint: 'vertex', training: { export: exportId } });
  const tunerJob = await untilStarted();
  expect(tunerJob.request).toMatchObject({
    supervisedTuningSpec: { trainingDatasetUri: 'gs://harbour/exports/train.jsonl' },
  });
  Object.assign(tunerJob, { status: 'succeeded', model: 'projects/1/endpoints/2' });
  await untilStatus(id, 'completed');
  expect(await registry.read(project, 'rope-v2')).toMatchObject({ dataset, model: 'vertex/projects/1/endpoints/2' });
});

test('another job runner continues a tuning job, and no second one is started', async () => {
  const first = await startJobRunner();
  const id = await addJob();
  const tunerJob = await untilStarted();
  await untilJob(id, ({ progress }) => progress !== null);
  jobRunners = [];
  await stop(first);
  await startJobRunner();
  Object.assign(tunerJob, { status: 'succeeded', model: 'tuned' });
  await untilStatus(id, 'completed');
  expect(server.jobs).toHaveLength(1);
});

test('a tuning job whose start was not answered is found again', async () => {
  server.losesNextAnswer = true;
  const id = await addJob();
  await startJobRunner();
  const tunerJob = await untilStarted();
  await untilJob(id, ({ status, attempts }) => status === 'queued' && attempts === 1);
  await pool.query('UPDATE job SET run_at = now()');
  Object.assign(tunerJob, { status: 'succeeded', model: 'tuned' });
  expect(await untilStatus(id, 'completed')).toMatchObject({ attempts: 2 });
  expect(server.jobs).toHaveLength(1);
});

test('an outage of the tuner does not end the tuning job', async () => {
  await startJobRunner();
  const id = await addJob();
  const tunerJob = await untilStarted();
  await untilJob(id, ({ progress }) => progress !== null);
  server.failure = 503;
  const count = server.requests.length;
  await until('the tuner is asked during its outage', () => server.requests.length > count + 3);
  server.failure = undefined;
  Object.assign(tunerJob, { status: 'succeeded', model: 'tuned' });
  expect(await untilStatus(id, 'completed')).toMatchObject({ attempts: 1 });
});

test('a cancelled job cancels the tuning job, also between two attempts', async () => {
  const jobRunner = await startJobRunner();
  const id = await addJob();
  await untilJob(id, ({ progress }) => progress !== null);
  jobRunners = [];
  await stop(jobRunner);
  await jobs.cancel(project, id);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'queued', isCancelRequested: true });
  await startJobRunner();
  await untilStatus(id, 'cancelled');
  expect(server.jobs[0]?.status).toBe('cancelled');
});

test('a cancellation during the start cancels the tuning job, also if the tuner lists it later', async () => {
  const isList = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && path.endsWith('/fine_tuning/jobs');
  const id = await addJob();
  server.onJob = async (training) => {
    server.jobs.length = 0;
    await jobs.cancel(project, id);
    await until('the job runner looks for the tuning job', () => server.requests.filter(isList).length === 2);
    server.jobs.push(training);
  };
  // The tuner lists the job between two searches of the job runner, even on a busy machine.
  await startJobRunner(500);
  await untilStatus(id, 'cancelled');
  expect(server.jobs).toMatchObject([{ status: 'cancelled' }]);
});

test('a tuning job whose id was not stored is cancelled, and no other one is started', async () => {
  server.losesNextAnswer = true;
  await startJobRunner();
  const id = await addJob();
  await untilJob(id, ({ status, attempts }) => status === 'queued' && attempts === 1);
  await jobs.cancel(project, id);
  await untilStatus(id, 'cancelled');
  expect(server.jobs).toMatchObject([{ status: 'cancelled' }]);
});

test('a tuning job that an attempt did not start is cancelled without being started', async () => {
  const id = await addJob();
  await pool.query('UPDATE job SET epoch = 1, cancel_requested_at = now()');
  await startJobRunner();
  await untilStatus(id, 'cancelled');
  expect(server.files.size).toBe(0);
  expect(server.jobs).toEqual([]);
});

test('the cancellation is repeated while the tuner is not available', async () => {
  await startJobRunner();
  const id = await addJob();
  await untilJob(id, ({ progress }) => progress !== null);
  server.failure = 503;
  await jobs.cancel(project, id);
  expect(await untilJob(id, ({ status }) => status === 'queued')).toMatchObject({
    isCancelRequested: true,
    error: {
      code: 'TUNING_NOT_CANCELLED',
      message: expect.stringContaining('The tuning job ftjob-1 was not cancelled at the tuner: '),
    },
  });
  server.failure = undefined;
  await pool.query('UPDATE job SET run_at = now()');
  await untilStatus(id, 'cancelled');
  expect(server.jobs[0]?.status).toBe('cancelled');
});

test.each<[string, () => void, object]>([
  [
    'fails',
    () => Object.assign(server.jobs[0] ?? {}, { status: 'failed', error: 'Line 2 has no messages' }),
    { code: 'TUNING_FAILED', message: 'The tuning job failed: Line 2 has no messages' },
  ],
  [
    'is lost by the tuner',
    () => void (server.jobs.length = 0),
    { code: 'TUNING_FAILED', message: 'The tuner no longer has the tuning job ftjob-1. Start a new tuning job.' },
  ],
  [
    'is rejected later',
    () => void (server.failure = 400),
    { code: 'TUNING_FAILED', message: 'tuner answered HTTP 400: Key key' },
  ],
])('a tuning job that %s fails the job with the reason', async (_title, change, error) => {
  await startJobRunner();
  const id = await addJob();
  await untilJob(id, ({ progress }) => progress !== null);
  change();
  expect(await untilStatus(id, 'failed')).toMatchObject({ error });
  expect(await registry.read(project, 'rope-v2')).toBeNull();
});

test('a deleted upload and an unknown endpoint fail the job at once', async () => {
  await startJobRunner();
  const id = await addJob({ training: { upload: randomUUID() } });
  expect(await untilStatus(id, 'failed')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const otherJob = await addJob({ endpoint: 'other' });
  expect(await untilStatus(otherJob, 'failed')).toMatchObject({ error: { code: 'MODEL_NOT_CONFIGURED' } });
  expect(server.jobs).toEqual([]);
});

/** Adds the rows of a ready export. */
async function addExport(dataset: string, id: string, folder?: string): Promise<void> {
  await pool.query(
    `INSERT INTO dataset (id, project_id, name, version, status, query, shares, seed, license, consent, card)
     VALUES ($1, $2, $3, 1, 'ready', '{}', '{}', 1, 'MIT', 'given', '{}')`,
    [dataset, project, `ropes-${dataset.slice(0, 8)}`],
  );
  const files = ['train.jsonl', 'validation.jsonl'].map((name) => ({
    name,
    ...(folder !== undefined && { uri: `${folder}/${name}` }),
  }));
  await pool.query(
    `INSERT INTO dataset_export (id, dataset_id, status, options, files) VALUES ($1, $2, 'ready', '{}', $3)`,
    [id, dataset, JSON.stringify(files)],
  );
}
