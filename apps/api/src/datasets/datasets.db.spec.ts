import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ destinations: { vertex: { kind: 'gcs', bucket: 'harbour' } } });
}, 60_000);
afterAll(() => api.close());
afterEach(async () => {
  await api.context.pool.query('DELETE FROM dataset');
  await api.context.pool.query('DELETE FROM job');
});

type Answer = Pick<DatasetView, 'id' | 'job'> & Page<{ name: string }> & Pick<Problem, 'errors' | 'detail'>;
const call = (method: string, path: string, body?: unknown, key = api.admin) =>
  api.call<Answer>(method, `/v1/datasets${path}`, { ...(body !== undefined && { body }), key });

/** Ends the job of a dataset, as the job runner does. */
const makeReady = async (id: string) => {
  await api.context.pool.query(`UPDATE job SET status = 'completed'`);
  await api.context.pool.query(`UPDATE dataset SET status = 'ready', example_count = 3 WHERE id = $1`, [id]);
};

test('a dataset is created with a job, listed, and read', async () => {
  const { status, body } = await call('POST', '', { name: 'orders', query: { workflows: ['order-supplies'] } });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    ...{ name: 'orders', version: 1, status: 'building', isStale: false, exampleCount: 0, seed: 1 },
    query: { workflows: ['order-supplies'], qualities: ['good', 'bad'] },
    shares: { train: 0.8, validation: 0.1, test: 0.1 },
  });
  const { rows } = await api.context.pool.query('SELECT id, kind, params FROM job');
  expect(rows).toEqual([{ id: body.job, kind: 'build_dataset', params: { dataset: body.id } }]);
  expect((await call('GET', '')).body.items).toEqual([body]);
  expect((await call('GET', `/${body.id}`)).body).toEqual({ ...body, card: null });
});

test.each<[string, object, string]>([
  ['shares that do not add up', { shares: { train: 0.5, validation: 0.1, test: 0.1 } }, '/shares'],
  ['a time range without time', { query: { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' } }, '/query/from'],
  ['an unknown condition', { query: { color: 'red' } }, '/query/color'],
])('%s are refused', async (_, facts, pointer) => {
  const { status, body } = await call('POST', '', { name: 'orders', ...facts });
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
});

test('a name is used once; a new version has the same query', async () => {
  const { body } = await call('POST', '', { name: 'orders', query: { sites: ['shop.test'] }, seed: 7 });
  expect((await call('POST', '', { name: 'orders' })).status).toBe(409);
  expect((await call('POST', `/${body.id}/versions`)).body).toMatchObject({
    ...{ name: 'orders', version: 2, seed: 7, status: 'building' },
    query: { sites: ['shop.test'] },
  });
});

test('an export to an unknown destination is refused, and one to a known destination gets a job', async () => {
  const { body } = await call('POST', '', { name: 'orders' });
  await makeReady(body.id);
  const unknown = await call('POST', `/${body.id}/exports`, { format: 'gemini', destination: 'other' });
  const detail = 'Destination other not found. Configured: vertex.';
  expect([unknown.status, unknown.body.errors]).toEqual([400, [{ pointer: '/destination', detail }]]);
  const created = await call('POST', `/${body.id}/exports`, { format: 'gemini', destination: 'vertex' });
  expect(created).toMatchObject({ status: 202, body: { options: { destination: 'vertex' }, status: 'running' } });
});

test('a job that failed without writing its dataset fails the dataset', async () => {
  const { body } = await call('POST', '', { name: 'orders' });
  await api.context.pool.query(`UPDATE job SET status = 'failed', error = '{"message":"Lost"}'`);
  expect((await call('GET', `/${body.id}`)).body).toMatchObject({ status: 'failed', error: 'Lost' });
});

test('only a dataset that is ready is exported', async () => {
  const { body } = await call('POST', '', { name: 'orders' });
  expect((await call('POST', `/${body.id}/exports`, { format: 'trl' })).status).toBe(409);
  await makeReady(body.id);
  const { status, body: exported } = await call('POST', `/${body.id}/exports`, { format: 'trl', dialect: 'ui-tars' });
  expect(status).toBe(202);
  expect(exported).toMatchObject({
    status: 'running',
    options: { format: 'trl', objective: 'sft', dialect: 'ui-tars' },
  });
  expect((await call('GET', `/${body.id}/exports`)).body.items).toEqual([exported]);
  expect((await call('GET', `/${body.id}/exports/${exported.id}/files`)).status).toBe(409);
  const { status: deletion, body: problem } = await call('DELETE', `/${body.id}`);
  expect([deletion, problem.detail]).toEqual([
    409,
    `The export job ${exported.job} uses the dataset. Cancel the job or wait for its end, then delete the dataset again.`,
  ]);
});

test('a dataset that is being deleted is not exported, and its deletion can be repeated', async () => {
  const { body } = await call('POST', '', { name: 'orders' });
  await makeReady(body.id);
  await api.context.pool.query(`UPDATE dataset SET status = 'deleting' WHERE id = $1`, [body.id]);
  expect(await call('POST', `/${body.id}/exports`, { format: 'trl' })).toMatchObject({
    status: 409,
    body: { detail: 'The dataset is being deleted. Export another dataset.' },
  });
  expect((await call('GET', `/${body.id}`)).body).toMatchObject({ status: 'deleting' });
  expect((await call('DELETE', `/${body.id}`)).status).toBe(200);
  expect((await call('POST', `/${body.id}/exports`, { format: 'trl' })).status).toBe(404);
});

test.each([1, 2, 3, 100])('files of an export have signed URLs, in pages of %i', async (limit) => {
  const { body } = await call('POST', '', { name: 'orders' });
  await makeReady(body.id);
  const { body: exported } = await call('POST', `/${body.id}/exports`, { format: 'trl' });
  const files = ['train.jsonl', 'report.json'].map((name) => ({ name, bytes: 3, sha256: 'a'.repeat(64), lines: 1 }));
  await api.context.pool.query(`UPDATE dataset_export SET status = 'ready', files = $1::json`, [JSON.stringify(files)]);
  await api.context.pool.query(`UPDATE job SET status = 'completed'`);
  const { store } = api.context.objects;
  const folder = `datasets/${body.id}/exports/${exported.id}`;
  for (const name of ['train.jsonl', 'report.json', 'images/aa/1.jpg', 'images/bb/2.jpg'])
    await store.put(`${folder}/${name}`, Buffer.from('{}\n'), { contentType: 'application/json', maxBytes: 10 });
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body: page } = await call('GET', `/${body.id}/exports/${exported.id}/files?limit=${limit}${query}`);
    names.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(names).toEqual(['train.jsonl', 'report.json', 'images/aa/1.jpg', 'images/bb/2.jpg']);
  expect((await call('DELETE', `/${body.id}`)).status).toBe(200);
  expect(await store.stat(`${folder}/train.jsonl`)).toBeNull();
  expect((await call('GET', `/${body.id}`)).status).toBe(404);
});

test('a viewer reads datasets and creates none', async () => {
  const viewer = await api.key('viewer', 'default');
  const { body } = await call('POST', '', { name: 'orders' });
  expect((await call('GET', `/${body.id}`, undefined, viewer)).status).toBe(200);
  expect((await call('POST', '', { name: 'other' }, viewer)).status).toBe(403);
});
