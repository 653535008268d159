import { randomUUID } from 'node:crypto';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { TuningEstimate, TuningEvents } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { UploadView } from '@pilothouse/contract/run/artifact.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
let upload: string;
beforeAll(async () => {
  const endpoint = { apiKey: 'key', baseUrl: 'http://127.0.0.1:9/v1' };
  const overrides = { 'openai/base': { trainingUsdPerMillionTokens: 25 } };
  api = await startApi({
    tuningSources: ['gs://harbour/shared/', 's3://harbour/'],
    models: { endpoints: { openai: endpoint }, fallback: undefined, callsPerMinute: undefined, overrides },
  });
  upload = await addUpload('{"messages":[{"role":"user","content":"12345678"}]}\n'.repeat(100));
}, 60_000);
async function addUpload(content: string): Promise<string> {
  const created = await api.call<UploadView>('POST', '/v1/uploads', {
    body: { name: 'train.jsonl', size: content.length },
  });
  const { method, url, headers } = created.body.transfer;
  expect((await fetch(url, { method, headers, body: content })).ok).toBe(true);
  return created.body.id;
}
afterAll(() => api.close());

const start = (facts: object = {}, key = api.admin) => {
  const body = { name: 'rope-v2', tuner: 'openai', endpoint: 'openai', baseModel: 'base', training: { upload } };
  return api.call<Omit<Job, 'status'> & Problem>('POST', '/v1/tuning/jobs', {
    body: { ...body, ...facts },
    key,
  });
};
const jobCount = async () =>
  (await api.context.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM job')).rows[0]?.count;

/** Adds a ready export of a new dataset. @param uri address of its training file; left out: it has no destination */
async function addExport(project: string, uri?: string): Promise<string> {
  const { pool } = api.context;
  const [dataset, id] = [randomUUID(), randomUUID()];
  await pool.query(
    `INSERT INTO dataset (id, project_id, name, version, status, query, shares, seed, license, consent, card)
     SELECT $1, id, $2, 1, 'ready', '{}', '{}', 1, 'MIT', 'given', '{}' FROM project WHERE slug = $3`,
    [dataset, `ropes-${dataset}`, project],
  );
  await pool.query(
    `INSERT INTO dataset_export (id, dataset_id, status, options, files) VALUES ($1, $2, 'ready', '{}', $3)`,
    [id, dataset, JSON.stringify([{ name: 'train.jsonl', uri }])],
  );
  return id;
}

test('a tuning job becomes a queued job of its creator', async () => {
  const { status, body } = await start({ hyperparameters: { epochs: 2 }, role: 'act' });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    ...{ kind: 'tune', status: 'queued', progress: null, createdBy: { kind: 'key' } },
    params: {
      name: 'rope-v2',
      method: 'supervised',
      training: { upload },
      hyperparameters: { epochs: 2 },
      role: 'act',
    },
  });
});

test.each<[string, object, string, unknown]>([
  ['an unknown endpoint', { endpoint: 'other' }, '/endpoint', 'Endpoint other not found. Configured: openai.'],
  [
    'an unknown upload',
    { training: { upload: randomUUID() } },
    '/training/upload',
    expect.stringMatching(/not found, or its file was not sent\.$/),
  ],
  ['an unknown validation upload', { validation: { upload: randomUUID() } }, '/validation/upload', expect.anything()],
  [
    'a bucket for a tuner without one',
    { training: { uri: 'gs://bucket/train.jsonl' } },
    '/training',
    'Only `vertex` and `kubernetes` read from a bucket. Use `upload` or `export`.',
  ],
  [
    'an upload for Vertex AI',
    { tuner: 'vertex' },
    '/training',
    '`vertex` reads from Cloud Storage. Use a `uri` with gs://, or the `export` of a GCS destination.',
  ],
  ['no trainer for Kubernetes', { tuner: 'kubernetes' }, '/trainer', 'Name the trainer of the installation'],
  [
    'an unknown export',
    { training: { export: randomUUID() } },
    '/training/export',
    expect.stringMatching(/not found, not ready, or without train\.jsonl\.$/),
  ],
  ['no epoch', { hyperparameters: { epochs: 0 } }, '/hyperparameters/epochs', expect.anything()],
])('%s is refused without a job', async (_title, facts, pointer, detail) => {
  const previousCount = await jobCount();
  const { status, body } = await start(facts);
  expect([status, body.errors?.[0]]).toEqual([400, { pointer, detail }]);
  expect(await jobCount()).toBe(previousCount);
});

test('Vertex AI trains with an export of a GCS destination only', async () => {
  const inStore = await addExport('default');
  const inBucket = await addExport('default', 'gs://harbour/train.jsonl');
  expect((await start({ tuner: 'vertex', training: { export: inStore } })).body.errors).toEqual([
    {
      pointer: '/training/export',
      detail: 'Vertex AI reads from Cloud Storage. Export the dataset to a `destination` of the kind gcs.',
    },
  ]);
  expect((await start({ tuner: 'vertex', training: { export: inBucket } })).status).toBe(202);
});

test.each([
  ['another file of the bucket', 'gs://harbour/private/train.jsonl'],
  ['a folder with the same start', 'gs://harbour/shared-not/train.jsonl'],
  ['a parent folder', 'gs://harbour/shared/../private/train.jsonl'],
  ['an encoded parent folder', 'gs://harbour/shared/%2e%2E/private/train.jsonl'],
  ['an encoded slash', 'gs://harbour/shared/..%2fprivate/train.jsonl'],
  ['a folder that is encoded twice', 'gs://harbour/shared/%252e%252e%252fprivate/train.jsonl'],
  ['a parent folder with a backslash', 'gs://harbour/shared/..%5Cprivate/train.jsonl'],
  ['another bucket', 's3://harbour-other/train.jsonl'],
  ['an export of another project', 'gs://harbour/exports/train.jsonl'],
])('an address of %s is refused', async (_title, uri) => {
  await addExport(await api.project(), 'gs://harbour/exports/train.jsonl');
  const trainer = { tuner: 'kubernetes', trainer: 'rope', training: { uri } };
  const previousCount = await jobCount();
  const { status, body } = await start(trainer);
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        pointer: '/training/uri',
        detail:
          'This location is not allowed. Use `export`, or ask the operator to add it to PILOTHOUSE_TUNING_SOURCES.',
      },
    ],
  ]);
  expect((await estimate(trainer)).status).toBe(400);
  expect(await jobCount()).toBe(previousCount);
});

test('an address in an allowed folder or of an export of the project is accepted', async () => {
  await addExport('default', 'gs://harbour/exports/own/train.jsonl');
  for (const uri of [
    'gs://harbour/shared/train.jsonl',
    's3://harbour/train.jsonl',
    'gs://harbour/exports/own/train.jsonl',
  ])
    expect(await start({ tuner: 'kubernetes', trainer: 'rope', training: { uri } })).toMatchObject({ status: 202 });
});

test('a name of the registry is refused, and only admins train', async () => {
  await api.call('POST', '/v1/registry/models', { body: { name: 'taken', model: 'openai/taken' } });
  expect(await start({ name: 'taken' })).toMatchObject({ status: 409, body: { errors: [{ pointer: '/name' }] } });
  expect((await start({}, await api.key('operator', 'default'))).status).toBe(403);
});

const estimate = (facts: object = {}) => {
  const body = { name: 'rope-v2', tuner: 'openai', endpoint: 'openai', baseModel: 'base', training: { upload } };
  return api.call<Omit<TuningEstimate, 'status'> & Problem>('POST', '/v1/tuning/estimate', {
    body: { ...body, ...facts },
  });
};

test('an estimate counts the examples of the file at the configured price, and starts nothing', async () => {
  const previousCount = await jobCount();
  expect(await estimate({ hyperparameters: { epochs: 4 } })).toMatchObject({
    status: 200,
    body: { examples: 100, textTokens: 200, images: 0, epochs: 4, trainedTokens: 800, usd: 0.02, reason: null },
  });
  expect((await estimate({ baseModel: 'other' })).body).toMatchObject({
    ...{ usd: null, reason: expect.stringContaining('Price not known') },
  });
  expect(await jobCount()).toBe(previousCount);
});

test.each([
  ['a line that is no object', '{"messages":[]}\n[1]\n', 'Line 2 is not a JSON object. Write one example per line.'],
  [
    'a line that is too long',
    `{}\n{"text":"${'x'.repeat(8 * 1024 * 1024)}"}\n`,
    'Line 2 has more than 8388608 bytes. Use a shorter example.',
  ],
  ['an empty file', '\n', 'The file has no examples.'],
])('an estimate of %s is refused', async (_title, content, detail) => {
  const { status, body } = await estimate({ training: { upload: await addUpload(content) } });
  expect([status, body.errors?.[0]]).toEqual([400, { pointer: '/training', detail }]);
});

test('an estimate does not renew the age of an upload, and a tuning job does', async () => {
  const id = await addUpload('{"messages":[]}\n');
  const { pool } = api.context;
  await pool.query(`UPDATE upload SET created_at = now() - interval '1 day' WHERE id = $1`, [id]);
  const isOld = async () =>
    (await pool.query(`SELECT FROM upload WHERE id = $1 AND created_at < now() - interval '1 hour'`, [id])).rowCount;
  expect((await estimate({ training: { upload: id }, validation: { upload: id } })).status).toBe(200);
  expect(await isOld()).toBe(1);
  expect((await start({ training: { upload: id } })).status).toBe(202);
  expect(await isOld()).toBe(0);
});

test('an estimate of an upload that was not sent is refused', async () => {
  const { body } = await api.call<UploadView>('POST', '/v1/uploads', { body: { name: 'train.jsonl', size: 10 } });
  const { status, body: problem } = await estimate({ training: { upload: body.id } });
  expect([status, problem.errors?.[0]]).toEqual([
    400,
    { pointer: '/training', detail: 'The file was deleted, or not sent. Upload it again.' },
  ]);
});

test('the events of a tuning job are its stored progress', async () => {
  const { body: job } = await start();
  const events = () => api.call<TuningEvents>('GET', `/v1/tuning/jobs/${job.id}/events`);
  expect((await events()).body).toMatchObject({ job: job.id, status: 'queued', tunerJob: null, loss: [] });
  const checkpoint = { tunerJob: 'ft-1', loss: [{ step: 1, trainingLoss: 2, validationLoss: null }] };
  await api.context.pool.query('UPDATE job SET checkpoint = $1 WHERE id = $2', [checkpoint, job.id]);
  expect((await events()).body).toMatchObject(checkpoint);
  expect((await api.call('GET', `/v1/tuning/jobs/${randomUUID()}/events`)).status).toBe(404);
});
