import { randomUUID } from 'node:crypto';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { submitRunSchema, type RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { ChildRuns } from './child-runs.ts';
import { RunSubmitter } from './submit-run.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const body = { steps: [{ action: 'screenshot' }] };
const submit = async (parentRunId?: string) =>
  (await api.call<RunView>('POST', '/v1/runs', { body: { ...body, parentRunId } })).body;
const readRun = async (run: string) => (await api.call<RunView>('GET', `/v1/runs/${run}`)).body;
const childrenOf = async (parent: string) =>
  (await api.call<Page<RunView>>('GET', `/v1/runs?parentRunId=${parent}`)).body.items.map(({ id }) => id);
const cancel = (run: string) => api.call<RunView>('POST', `/v1/runs/${run}/cancel`);
const untilCancelled = (run: string) =>
  until('the run is cancelled', async () => (await readRun(run)).status === 'cancelled');

describe('a child run', () => {
  test('names its parent, and lists filter by it', async () => {
    const parent = await submit();
    expect(parent.parentRunId).toBeNull();
    await api.call('POST', '/v1/workflows', { body: { name: 'child', ...body } });
    await api.call('POST', '/v1/workflows/child/publish');
    const first = await submit(parent.id);
    const second = await api.call<RunView>('POST', '/v1/workflows/child/runs', { body: { parentRunId: parent.id } });
    const children = [first, second.body, await submit(parent.id)];
    expect(children.map(({ parentRunId }) => parentRunId)).toEqual(Array(3).fill(parent.id));
    expect(await childrenOf(parent.id)).toEqual(children.map(({ id }) => id).reverse());
    expect(await childrenOf(children[0]?.id ?? '')).toEqual([]);
  });

  test('a run that Pilothouse starts for its parent is a child run', async () => {
    const parent = await submit();
    const [project] = (
      await api.context.pool.query<{ id: string; slug: string }>(`SELECT id, slug FROM project WHERE slug = 'default'`)
    ).rows;
    if (!project) throw new Error('There is no project');
    const { run } = await api.app
      .get(RunSubmitter, { strict: false })
      .submit(
        { project: { ...project, name: 'Default' }, kind: 'request', request: submitRunSchema.parse(body) },
        { kind: 'parent', run: parent.id, actor: null, idempotencyKey: null },
      );
    expect(await readRun(run)).toMatchObject({ parentRunId: parent.id, origin: { kind: 'parent', run: parent.id } });
  });

  test('needs a parent of its project that has not ended', async () => {
    const ended = await submit();
    await cancel(ended.id);
    const foreign = await api.call<RunView>('POST', '/v1/runs', { key: await api.key('operator'), body });
    const problemOf = async (parentRunId: string) => {
      const { status, body: problem } = await api.call<Problem>('POST', '/v1/runs', { body: { ...body, parentRunId } });
      return [status, problem.code, problem.errors];
    };
    const rejected = (detail: string) => [400, 'VALIDATION_FAILED', [{ pointer: '/parentRunId', detail }]];
    expect(await problemOf(randomUUID())).toEqual(rejected('The run was not found in this project.'));
    expect(await problemOf(foreign.body.id)).toEqual(rejected('The run was not found in this project.'));
    expect(await problemOf(ended.id)).toEqual(rejected('The run is cancelled. Name a run that has not ended.'));
  });
});

describe('the cancellation of a run', () => {
  test('cancels its child runs and theirs', async () => {
    const parent = await submit();
    const child = await submit(parent.id);
    const grandchild = await submit(child.id);
    const completed = await submit(parent.id);
    await api.startRun(completed.id);
    await api.complete(completed.id);
    const running = await submit(parent.id);
    await api.startRun(running.id);
    await cancel(parent.id);
    await untilCancelled(grandchild.id);
    expect((await readRun(child.id)).status).toBe('cancelled');
    expect((await readRun(completed.id)).status).toBe('completed');
    await until('the worker is asked to stop', async () => {
      const { rows } = await api.context.pool.query<{ by: string }>(
        'SELECT cancelled_by AS by FROM run WHERE id = $1',
        [running.id],
      );
      return rows[0]?.by === `parent run ${parent.id}`;
    });
  });

  test('cancels a child run that is stored at the same time', async () => {
    const parent = await submit();
    const child = await submit(parent.id);
    // The reaction has been executed before the child was stored.
    await api.context.pool.query(`UPDATE run SET status = 'cancelled' WHERE id = $1`, [parent.id]);
    await api.app.get(ChildRuns, { strict: false }).followParent(child.id, parent.id);
    expect((await readRun(child.id)).status).toBe('cancelled');
  });
});

test('the completion and the deletion of a run do not change its child runs', async () => {
  const parent = await submit();
  const child = await submit(parent.id);
  await api.startRun(parent.id);
  await api.complete(parent.id);
  await api.context.pool.query('DELETE FROM run WHERE id = $1', [parent.id]);
  expect(await readRun(child.id)).toMatchObject({ status: 'queued', parentRunId: parent.id });
  expect(await childrenOf(parent.id)).toEqual([child.id]);
});
