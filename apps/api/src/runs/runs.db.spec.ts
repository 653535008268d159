import { randomUUID } from 'node:crypto';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { announceArtifact, markStored } from '@pilothouse/infra-db';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const submit = async (fields: object = {}) => {
  const body = { steps: [{ action: 'screenshot' }, { action: 'screenshot' }], ...fields };
  return (await api.call<RunView>('POST', '/v1/runs', { body })).body;
};
const readRun = async (run: string, query = '') => (await api.call<RunView>('GET', `/v1/runs/${run}${query}`)).body;
const list = async (query: string) => (await api.call<Page<RunView>>('GET', `/v1/runs?${query}`)).body;

describe('a list', () => {
  test('is paginated, newest first, while new runs arrive and several share a timestamp', async () => {
    const created: string[] = [];
    for (let n = 0; n < 9; n += 1) created.push((await submit({ labels: { list: 'pages' } })).id);
    await api.context.pool.query(
      `UPDATE run SET created_at = date_trunc('second', now()) WHERE id = ANY ($1::uuid[])`,
      [created.slice(2, 7)],
    );
    const { items: listedRuns } = await list('labels=list:pages');
    const submitNewer = () => submit({ labels: { list: 'pages' } });
    const ids = (await api.all<RunView>('/v1/runs?labels=list:pages', 2, submitNewer)).map(({ id }) => id);
    expect(ids).toEqual(listedRuns.map(({ id }) => id));
    expect(new Set(ids).size).toBe(9);
    const instants = listedRuns.map(({ createdAt }) => createdAt);
    expect(instants).toEqual([...instants].sort().reverse());
  });

  test('is searched by goal, workflow name, error and id prefix', async () => {
    const goal = 'Order 3 coils of Rope at 50% off';
    const { body: labelled } = await api.call<RunView>('POST', '/v1/runs', {
      body: { goal, url: 'https://harbour.test' },
    });
    const stepsRun = await submit();
    const ids = async (text: string) => (await list(`text=${encodeURIComponent(text)}`)).items.map(({ id }) => id);
    expect(await ids('coils of rope')).toEqual([labelled.id]);
    expect(await ids('50% off')).toEqual([labelled.id]);
    expect(await ids('5_%')).toEqual([]);
    expect(await ids(labelled.id.toUpperCase())).toEqual([labelled.id]);
    expect(await ids(stepsRun.id.slice(0, 33))).toEqual([stepsRun.id]);
    const steps = [{ action: 'screenshot' }];
    const { body: namedRun } = await api.call<RunView>('POST', '/v1/runs', {
      body: { definition: { name: 'rope-list', steps } },
    });
    expect(await ids('ROPE')).toEqual([namedRun.id, labelled.id]);
    const error = { code: 'GOAL_FAILED', message: 'The shop is closed \\o/', retry: 'no' };
    await api.context.pool.query('UPDATE run SET error = $1 WHERE id = $2', [error, stepsRun.id]);
    expect(await ids('closed \\O/')).toEqual([stepsRun.id]);
    expect(await list('text=rope&status=completed')).toEqual({ items: [], nextCursor: null });
  });

  test('filters by status, workflow, fleet, labels and time, all at once', async () => {
    const steps = [{ action: 'screenshot' }];
    await api.call('POST', '/v1/workflows?publish=true', { body: { name: 'filtered', steps } });
    const { body: labelled } = await api.call<RunView>('POST', '/v1/workflows/filtered/runs', {
      body: { labels: { a: '1', b: 'x:y' } },
    });
    const newest = await submit({ labels: { a: '1', b: 'z' } });
    const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);
    expect(await ids('workflow=filtered')).toEqual([labelled.id]);
    expect(await ids(`workflow=${labelled.workflow?.id}`)).toEqual([labelled.id]);
    expect(await ids('labels=b:x:y')).toEqual([labelled.id]);
    expect(await ids('labels=a:1')).toEqual([newest.id, labelled.id]);
    expect(await ids('labels=a:1&labels=b:z')).toEqual([newest.id]);
    expect(await ids(`labels=a:1&createdAfter=${newest.createdAt}`)).toEqual([newest.id]);
    expect(await ids(`labels=a:1&createdBefore=${newest.createdAt}`)).toEqual([labelled.id]);
    await api.startRun(labelled.id);
    expect(await ids('labels=a:1&status=running,completed')).toEqual([labelled.id]);
    expect(await ids('labels=a:1&status=queued&status=running')).toEqual([newest.id, labelled.id]);
    expect(await ids('labels=a:1&status=failed,queued')).toEqual([newest.id]);
    expect(await ids('labels=a:1&status=failed,cancelled')).toEqual([]);
    expect(await ids('labels=a:1&fleet=default')).toHaveLength(2);
    expect(await ids('fleet=no-such-fleet')).toEqual([]);
    expect(await ids('labels=a:1&surface=browser')).toEqual([newest.id, labelled.id]);
    expect(await ids('surface=desktop')).toEqual([]);
  });

  test('rejects invalid filters and cursors', async () => {
    for (const query of [
      'status=done',
      'surface=paper',
      'labels=x',
      'createdAfter=yesterday',
      'cursor=abc',
      'cursor=WzFd',
      'limit=201',
    ]) {
      const { status, body } = await api.call<Problem>('GET', `/v1/runs?${query}`);
      expect([query, status, body.errors?.[0]?.pointer.split('/')[1]]).toEqual([query, 400, query.split('=')[0]]);
    }
  });
});

describe('waiting for the end', () => {
  test('answers when the run ends', async () => {
    const { id } = await submit();
    const waiting = readRun(id, '?wait=30');
    await api.startRun(id);
    await until('a reader waits', () => api.lifecycle.watcher.size > 0);
    await api.complete(id, { total: 3 });
    const endedAtMs = performance.now();
    expect(await waiting).toMatchObject({ status: 'completed', output: { total: 3 }, worker: 'spec-worker', epoch: 1 });
    expect(performance.now() - endedAtMs).toBeLessThan(15_000);
    await until('no reader waits', () => api.lifecycle.watcher.size === 0);
  });

  test('answers on timeout with the current run', async () => {
    const { id } = await submit();
    const startedAtMs = performance.now();
    expect(await readRun(id, '?wait=1')).toMatchObject({ status: 'queued' });
    expect(performance.now() - startedAtMs).toBeGreaterThan(900);
    expect((await api.call('GET', `/v1/runs/${id}?wait=61`)).status).toBe(400);
  });

  test('answers at once for a finished run', async () => {
    const { id } = await submit();
    await api.call('POST', `/v1/runs/${id}/cancel`);
    const startedAtMs = performance.now();
    expect(await readRun(id, '?wait=60')).toMatchObject({ status: 'cancelled' });
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });

  test('a client that disconnects frees its resources', async () => {
    const { id } = await submit();
    const client = new AbortController();
    const waiting = api.fetch('GET', `/v1/runs/${id}?wait=60`, { signal: client.signal });
    await until('it waits', () => api.lifecycle.watcher.size > 0);
    client.abort();
    await expect(waiting).rejects.toThrow();
    await until('nothing is held', () => api.lifecycle.watcher.size === 0);
  });
});

describe('cancelling', () => {
  test('a queued run ends at once, and a second request changes nothing', async () => {
    const { id } = await submit();
    const first = await api.call<RunView>('POST', `/v1/runs/${id}/cancel`);
    expect([first.status, first.body.status]).toEqual([200, 'cancelled']);
    expect((await api.call('POST', `/v1/runs/${id}/cancel`)).status).toBe(200);
    const { body } = await api.call<{ items: { type: string; data: object }[] }>(
      'GET',
      `/v1/runs/${id}/events?format=json`,
    );
    expect(body.items.map(({ type }) => type)).toEqual(['run.queued', 'run.cancelled']);
    expect(body.items[1]?.data).toEqual({ requestedBy: 'bootstrap' });
  });

  test('a running one gets a cancellation request', async () => {
    const { id } = await submit();
    await api.startRun(id);
    const { status, body } = await api.call<RunView>('POST', `/v1/runs/${id}/cancel`);
    expect([status, body.status]).toEqual([202, 'running']);
    const { rows } = await api.context.pool.query<{ by: string }>(
      'SELECT cancelled_by AS by FROM run WHERE id = $1 AND cancel_requested_at IS NOT NULL',
      [id],
    );
    expect(rows).toEqual([{ by: 'bootstrap' }]);
  });

  test('a finished run cannot be cancelled', async () => {
    const { id } = await submit();
    await api.startRun(id);
    await api.complete(id);
    const { status, body } = await api.call<Problem>('POST', `/v1/runs/${id}/cancel`);
    expect([status, body.detail]).toEqual([409, 'The run is already completed']);
  });
});

test('steps show their progress and their outputs', async () => {
  const { id } = await submit();
  const session = await api.startRun(id);
  const firstSteps = await api.call<{ items: RunStepView[] }>('GET', `/v1/runs/${id}/steps`);
  expect(firstSteps.body.items[0]).toMatchObject({ index: 0, status: 'running', epoch: 1, finishedAt: null });
  const now = new Date();
  const event = createEvent(
    'step.completed',
    'Read',
    {
      step: 0,
      id: null,
      tier: 'replay',
      durationMs: 5,
      outcome: 'completed',
      effect: 'confirmed',
      located: null,
      value: [1],
      page: null,
    },
    now,
  );
  await api.lifecycle.writer.write({
    run: id,
    guard: { from: ['running'], epoch: 1, session },
    events: [{ ...event, sequence: 2 }],
    checkpoints: [{ step: 0, status: 'completed', tier: 'replay', value: [1], finishedAt: now.toISOString() }],
  });
  const { body } = await api.call<{ items: RunStepView[] }>('GET', `/v1/runs/${id}/steps`);
  expect(body.items).toMatchObject([
    { index: 0, status: 'completed', tier: 'replay', value: [1], epoch: 1, finishedAt: now.toISOString() },
    { index: 1, status: 'pending', tier: null, value: null, epoch: null },
  ]);
});

test('a goal run shows the sources of its answer; a repeated step shows its last answer', async () => {
  const { body: submitted } = await api.call<RunView>('POST', '/v1/runs', { body: { goal: 'Read the ferry' } });
  expect(submitted.answerSources).toBeUndefined();
  const session = await api.startRun(submitted.id);
  const data = {
    ...{ step: 0, path: '1', id: null, turn: 2 },
    sources: [{ pointer: '/quay', locators: [{ css: '#quay' }], isOnPage: true }],
    computed: ['/isLate'],
    missing: ['/price'],
    page: { url: 'https://ferry.example.com/', title: 'Ferries' },
  };
  const answers = [{ ...data, sources: [], missing: ['/quay', '/price'] }, data].map((answer, index) => ({
    ...createEvent('agent.answer_sources', 'Sources', answer, new Date()),
    sequence: index + 2,
  }));
  const guard = { from: ['running' as const], epoch: 1, session };
  await api.lifecycle.writer.write({ run: submitted.id, guard, events: answers });
  const { body: open } = await api.call<RunView>('GET', `/v1/runs/${submitted.id}`);
  expect(open.answerSources).toBeUndefined();
  await api.complete(submitted.id);
  const { body: run } = await api.call<RunView>('GET', `/v1/runs/${submitted.id}`);
  const { sources, computed, missing, page } = data;
  expect(run.answerSources).toEqual([{ step: 0, sources, computed, missing, page }]);
  const { body: list } = await api.call<{ items: RunView[] }>('GET', '/v1/runs?limit=50');
  expect(list.items.find(({ id }) => id === submitted.id)).not.toHaveProperty('answerSources');
});

test('files of a run have a link that needs no key; announced files are not listed', async () => {
  const { id } = await submit();
  const { store } = api.context.objects;
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  for (const [name, property] of [
    ['shot one.png', true],
    ['lost.png', false],
  ] as const) {
    const artifact = { id: randomUUID(), key: `runs/${id}/1/${randomUUID()}/x.png` };
    const facts = {
      run: id,
      epoch: 1,
      step: 0,
      kind: 'screenshot',
      contentType: 'image/png',
      size: png.length,
    } as const;
    await announceArtifact(api.context.pool, { ...artifact, ...facts, name });
    if (!property) continue;
    await store.put(artifact.key, png, { contentType: 'image/png', maxBytes: 100 });
    await markStored(api.context.pool, artifact.id, png.length);
  }
  const { body } = await api.call<{ items: ArtifactView[] }>('GET', `/v1/runs/${id}/artifacts`);
  expect(body.items).toMatchObject([{ run: id, name: 'shot one.png', kind: 'screenshot', size: 8, step: 0 }]);
  const url = body.items[0]?.url ?? '';
  expect(url.startsWith(api.url)).toBe(true);
  const file = await fetch(url);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(file.headers.get('content-disposition')).toContain('inline');
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png);
});

test('a list omits outputs; a single run has its output', async () => {
  const { body } = await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } });
  await api.startRun(body.id);
  await api.complete(body.id, { rows: 'x'.repeat(2_000_000) });
  const answer = await api.fetch('GET', '/v1/runs?limit=50');
  const text = await answer.text();
  expect(text.length).toBeLessThan(200_000);
  const { items } = JSON.parse(text) as { items: RunView[] };
  expect(items.find(({ id }) => id === body.id)).toMatchObject({ status: 'completed', output: null });
  const dead = await api.fetch('GET', '/v1/dead-letters');
  expect((await dead.text()).length).toBeLessThan(200_000);
  const fullRun = await api.call<RunView>('GET', `/v1/runs/${body.id}`);
  expect(JSON.stringify(fullRun.body.output).length).toBeGreaterThan(2_000_000);
});
