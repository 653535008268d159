import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainersSchema } from '@pilothouse/contract/learning/trainer.schema';
import { startTuningSchema } from '@pilothouse/contract/learning/tuning.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStore } from '@pilothouse/infra-blob';
import type { JobsConfig } from '@pilothouse/infra-config';
import { createPool, JobStore, RegistryStore, type Pool } from '@pilothouse/infra-db';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { JobsApp } from '../jobs-app.ts';
import { startJobApi, type JobApi } from '../testing/job-api.fixture.ts';
import { createTuneHandler } from './tune.handler.ts';

const folder = mkdtempSync(join(tmpdir(), 'pilothouse-trainers-spec-'));
const project = randomUUID();
const examples = '{"messages":[]}\n'.repeat(10);
const trainers = trainersSchema.parse([
  {
    ...{ name: 'rope', kind: 'Job' },
    template: { spec: { template: { spec: { containers: [{ name: 'trainer', image: 'trainer:1' }] } } } },
  },
]);
const objectStore = {
  ...{ kind: 's3' as const, region: 'us-east-1', bucket: `spec-${randomBytes(6).toString('hex')}` },
  endpoint: process.env.S3_ENDPOINT ?? '',
  accessKey: process.env.S3_ACCESS_KEY ?? '',
  secretKey: process.env.S3_SECRET_KEY ?? '',
};
let database: TestDatabase;
let pool: Pool;
let jobs: JobStore;
let objects: BlobStore;
let kube: JobApi;
let jobRunner: JobsApp | null = null;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  jobs = new JobStore(pool);
  objects = await createObjectStore(objectStore, systemClock);
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  kube = await startJobApi();
});
afterEach(async () => {
  await jobRunner?.stop(0, 5_000, new AbortController().signal);
  await kube.close();
});

async function startJobRunner(): Promise<void> {
  const kubeconfig = join(folder, 'kubeconfig');
  const clusters = [{ name: 'spec', cluster: { server: kube.url, 'insecure-skip-tls-verify': true } }];
  const contexts = [{ name: 'spec', context: { cluster: 'spec', user: 'spec' } }];
  const users = [{ name: 'spec', user: {} }];
  writeFileSync(kubeconfig, JSON.stringify({ clusters, contexts, users, 'current-context': 'spec' }));
  const config: JobsConfig = {
    ...{ databaseUrl: database.url, redisUrl: process.env.REDIS_URL ?? '', redisPrefix: project },
    ...{ port: 0, host: '127.0.0.1', concurrency: 1, objectStore, log: { level: 'silent', format: 'json' } },
    models: { endpoints: { vllm: { apiKey: 'key' } }, fallback: undefined, callsPerMinute: undefined },
    trainers: { trainers, namespace: 'spec', kubeconfig },
  };
  jobRunner = await JobsApp.start({
    config,
    createHandlers: (dependencies) => ({ tune: createTuneHandler({ ...dependencies, pollMs: 20 }) }),
    log: memoryLog(),
    timing: { leaseMs: 3_000, renewMs: 50, pollMs: 100 },
  });
}

async function addJob(name: string, trainer = 'rope'): Promise<string> {
  const upload = randomUUID();
  const key = `uploads/${upload}/train.jsonl`;
  await objects.put(key, Buffer.from(examples), { contentType: 'application/json', maxBytes: examples.length });
  await pool.query(
    `INSERT INTO upload (id, project_id, name, content_type, size, key) VALUES ($1, $2, 'train.jsonl', 'application/json', $3, $4)`,
    [upload, project, examples.length, key],
  );
  const params = startTuningSchema.parse({
    ...{ name, tuner: 'kubernetes', trainer, endpoint: 'vllm', baseModel: 'org/base', training: { upload } },
  });
  return (await jobs.insert({ id: randomUUID(), project, kind: 'tune', params })).id;
}
const untilStatus = (id: string, status: string) =>
  until(`the job is ${status}`, async () => {
    const job = await jobs.read(project, id);
    return job?.status === status && job;
  });

async function putResult({ PILOTHOUSE_RESULT_URL: url = '' }: Readonly<Record<string, string>>): Promise<void> {
  const body = JSON.stringify({ model: 'rope-served', trainedTokens: 42 });
  expect((await fetch(url, { method: 'PUT', body })).ok).toBe(true);
}

test('a trainer reads the examples by a signed URL, and its result names the registered model', async () => {
  await startJobRunner();
  const id = await addJob('rope-v2');
  const { variables, finish } = await until('the Job is created', () => kube.jobs[0]);
  expect(await (await fetch(variables.PILOTHOUSE_TRAINING_URL ?? '')).text()).toBe(examples);
  await putResult(variables);
  finish();
  expect((await untilStatus(id, 'completed')).result).toMatchObject({ model: 'vllm/rope-served', trainedTokens: 42 });
  expect(await new RegistryStore(pool).read(project, 'rope-v2')).toMatchObject({
    ...{ model: 'vllm/rope-served', base: 'vllm/org/base', job: id },
  });
  expect(await objects.stat(`tuning/${id}/result.json`)).toBeNull();
});

test('a cancelled job deletes its Job and its result', async () => {
  await startJobRunner();
  const id = await addJob('rope-v3');
  const { variables } = await until('the Job is created', () => kube.jobs[0]);
  await putResult(variables);
  await until('the job runner follows it', async () => (await jobs.read(project, id))?.progress);
  await jobs.cancel(project, id);
  await untilStatus(id, 'cancelled');
  expect(kube.jobs).toEqual([]);
  await until('the result is deleted', async () => (await objects.stat(`tuning/${id}/result.json`)) === null);
});

test('a failed tuning job deletes its result', async () => {
  await startJobRunner();
  const id = await addJob('rope-v5');
  const { variables, finish } = await until('the Job is created', () => kube.jobs[0]);
  await putResult(variables);
  finish('Failed');
  expect(await untilStatus(id, 'failed')).toMatchObject({ error: { code: 'TUNING_FAILED' } });
  expect(await objects.stat(`tuning/${id}/result.json`)).toBeNull();
});

test('an unknown trainer fails the job, and names those that exist', async () => {
  await startJobRunner();
  const id = await addJob('rope-v4', 'knot');
  expect(await untilStatus(id, 'failed')).toMatchObject({
    error: { code: 'MODEL_NOT_CONFIGURED', message: 'The job runner has no trainer knot. Configured: rope.' },
  });
});
