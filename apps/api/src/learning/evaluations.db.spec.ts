import { randomUUID } from 'node:crypto';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
let dataset: string;
let building: string;

beforeAll(async () => {
  const endpoint = { apiKey: 'key', baseUrl: 'http://127.0.0.1:9/v1' };
  api = await startApi({ models: { endpoints: { openai: endpoint }, fallback: undefined, callsPerMinute: undefined } });
  const { pool } = api.context;
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM project');
  [dataset, building] = [randomUUID(), randomUUID()];
  for (const [id, card] of [
    [dataset, JSON.stringify({ splits: { train: 4, test: 2 }, files: [] })],
    [building, null],
  ])
    await pool.query(
      `INSERT INTO dataset (id, project_id, name, version, status, query, shares, seed, license, consent, card)
       VALUES ($1, $2, $3, 1, 'building', '{}', '{}', 1, '', '', $4)`,
      [id, rows[0]?.id, `d-${String(id).slice(0, 8)}`, card],
    );
}, 60_000);
afterAll(() => api.close());

const start = (facts: object = {}, key?: string) =>
  api.call<Omit<Job, 'status'> & Problem>('POST', '/v1/learning/evaluations', {
    body: { model: 'openai/gpt-5-mini', dataset, ...facts },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

test('an evaluation becomes a queued job with its budget', async () => {
  const { status, body } = await start({ budgetUsd: 2, limit: 50 });
  expect([status, body]).toMatchObject([
    202,
    {
      ...{ kind: 'evaluate', status: 'queued', budgetUsd: 2 },
      params: { model: 'openai/gpt-5-mini', dataset, split: 'test', limit: 50 },
    },
  ]);
});

test('a repeated request with the same key starts one job', async () => {
  const [key, otherKey] = [randomUUID(), randomUUID()];
  const first = await start({ budgetUsd: 2 }, key);
  expect(await start({ budgetUsd: 2 }, key)).toMatchObject({ status: 202, body: { id: first.body.id } });
  expect((await start({ budgetUsd: 2 }, otherKey)).body.id).not.toBe(first.body.id);
  for (const facts of [{ budgetUsd: 3 }, { budgetUsd: 2, limit: 7 }, {}])
    expect(await start(facts, key)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
});

test.each<[string, () => object, string, unknown]>([
  ['an unknown endpoint', () => ({ model: 'other/gpt' }), '/model', expect.stringContaining('other')],
  [
    'an unknown name',
    () => ({ model: 'rope-v2' }),
    '/model',
    'The registry has no model rope-v2. Register it, or use endpoint/model.',
  ],
  ['an unknown dataset', () => ({ dataset: randomUUID() }), '/dataset', expect.stringMatching(/not found\.$/)],
  ['an empty part', () => ({ split: 'validation' }), '/split', expect.stringContaining('is empty. Choose another.')],
  ['too many examples', () => ({ limit: 10_001 }), '/limit', expect.anything()],
])('%s is refused', async (_title, facts, pointer, detail) => {
  const { status, body } = await start(facts());
  expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer, detail })]]);
});

test('a dataset that is being built is a conflict', async () => {
  expect(await start({ dataset: building })).toMatchObject({
    status: 409,
    body: { detail: 'The dataset is building. Wait until it is ready, or choose another dataset.' },
  });
});

test('a dataset that is being deleted is a conflict', async () => {
  await api.context.pool.query(`UPDATE dataset SET status = 'deleting' WHERE id = $1`, [building]);
  expect(await start({ dataset: building })).toMatchObject({
    status: 409,
    body: { detail: 'The dataset is being deleted. Choose another dataset.' },
  });
});
