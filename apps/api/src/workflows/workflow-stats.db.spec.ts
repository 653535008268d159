import { randomUUID } from 'node:crypto';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { WorkflowStats, WorkflowSummary } from '@pilothouse/contract/api/workflow-stats.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const create = async (name: string, steps: object[] = [{ action: 'reload' }]) =>
  (await api.call<WorkflowDetail>('POST', '/v1/workflows?publish=true', { body: { name, steps } })).body.id;
const figures = async (name: string) => (await api.call<WorkflowStats>('GET', `/v1/workflows/${name}/stats`)).body;
/** A run of the workflow with this end status and an image. */
const insertEnded = async (name: string, status: string, key?: string): Promise<string> => {
  const { body } = await api.call<{ id: string }>('POST', `/v1/workflows/${name}/runs`, { body: {} });
  await api.context.pool.query('UPDATE run SET status = $2 WHERE id = $1', [body.id, status]);
  if (key !== undefined)
    await api.context.pool.query(
      `INSERT INTO artifact (id, run_id, epoch, kind, name, content_type, size, key, stored_at)
       VALUES ($1, $2, 1, 'screenshot', 'a.jpg', 'image/jpeg', 1, $3, now())`,
      [randomUUID(), body.id, key],
    );
  return body.id;
};

test('a workflow without runs has no statistics', async () => {
  await create('unrun');
  expect(await figures('unrun')).toEqual({
    usesAgent: false,
    createdBy: null,
    finishedRuns: 0,
    completed: 0,
    retries: 0,
    lastRun: null,
    thumbnail: null,
  });
});

test('the success rate covers the last completed or failed runs; the thumbnail is from the last completed one', async () => {
  await create('rated', [{ action: 'group', steps: [{ action: 'goal', goal: 'Pay' }] }]);
  for (let run = 0; run < 3; run += 1) await insertEnded('rated', 'failed');
  for (let run = 0; run < 17; run += 1) await insertEnded('rated', 'completed', `runs/rated/${run}.jpg`);
  await insertEnded('rated', 'failed', 'runs/rated/failed.jpg');
  const last = await insertEnded('rated', 'cancelled');
  // Three retries in one counted run, and some in one that is not counted.
  await api.context.pool.query(
    `UPDATE run SET step_retries = CASE status WHEN 'cancelled' THEN 9 ELSE 3 END
     WHERE id IN ((SELECT max(id::text)::uuid FROM run WHERE workflow_name = 'rated' AND status = 'completed'), $1)`,
    [last],
  );
  const { thumbnail, ...rest } = await figures('rated');
  expect(rest).toMatchObject({
    usesAgent: true,
    finishedRuns: 20,
    completed: 17,
    retries: 3,
    lastRun: { id: last, status: 'cancelled', createdAt: expect.stringMatching(/Z$/) },
  });
  expect(thumbnail).toEqual({ source: 'run', url: expect.stringContaining('runs/rated/16.jpg') });
  const { items } = (await api.call<Page<WorkflowSummary>>('GET', '/v1/workflows?limit=200')).body;
  expect(items.find(({ name }) => name === 'rated')?.stats).toMatchObject(rest);
});

test('a thumbnail is set, replaces the previous one, and is removed', async () => {
  await create('with-thumbnail');
  const path = '/v1/workflows/with-thumbnail/thumbnail';
  const png = Buffer.concat([Buffer.from([0x89]), Buffer.from('PNG\r\n\x1a\n'), Buffer.alloc(20)]);
  const putImage = (image: Buffer) =>
    api.call<WorkflowStats>('PUT', path, { body: { image: image.toString('base64') } });
  const first = await putImage(png);
  expect([first.status, first.body.thumbnail?.source]).toEqual([200, 'upload']);
  const thumbnail = await fetch(first.body.thumbnail?.url ?? '');
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await thumbnail.arrayBuffer())).toEqual(png);
  const second = await putImage(png);
  expect((await fetch(second.body.thumbnail?.url ?? '')).status).toBe(200);
  expect((await fetch(first.body.thumbnail?.url ?? '')).status).toBe(404);
  expect((await api.call<WorkflowStats>('DELETE', path)).body.thumbnail).toBeNull();
  expect((await fetch(second.body.thumbnail?.url ?? '')).status).toBe(404);
});

test.each([Buffer.from('<svg onload="alert(1)"></svg>'), Buffer.from('ab'), Buffer.alloc(300_001, 0xff)])(
  'data that is no small image is rejected (%#)',
  async (image) => {
    await create(`no-image-${image.length}`);
    const { status, body } = await api.call<Problem>('PUT', `/v1/workflows/no-image-${image.length}/thumbnail`, {
      body: { image: image.toString('base64') },
    });
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/image']);
  },
);
