import { randomUUID } from 'node:crypto';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { TraceStats } from '@pilothouse/contract/api/traces.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { Trace, TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { announceArtifact, markStored, saveTraceScore } from '@pilothouse/infra-db';
import { SCORE_VERSION } from '@pilothouse/core/learning/score-steps';
import { until } from '@pilothouse/testing/test-helpers';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

/** Stores the record of a turn like a worker. @returns id of its artifact */
async function storeRecord(run: string, record: TurnRecord | string): Promise<string> {
  const [id, key] = [randomUUID(), `runs/${run}/${randomUUID()}.json`];
  const body = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record));
  const { pool, objects } = api.context;
  const file = { kind: 'turn' as const, name: 'turn-0-1.json', contentType: 'application/json', size: body.length };
  await announceArtifact(pool, { id, run, epoch: 1, step: 0, key, ...file });
  await objects.store.put(key, body, { contentType: file.contentType, maxBytes: body.length });
  await markStored(pool, id, body.length);
  return id;
}

/** A finished run with one recorded turn, whose trace is scored. @returns the run and the record */
async function aScoredTrace(record: TurnRecord | string = turnRecord()): Promise<{ run: string; record: string }> {
  const { body } = await api.call<{ id: string }>('POST', '/v1/runs', {
    body: { steps: [{ action: 'wait', seconds: 0 }] },
  });
  const run = body.id;
  await api.startRun(run);
  const id = await storeRecord(run, record);
  expect((await api.call('GET', `/v1/traces/${run}`)).status).toBe(404);
  await api.complete(run);
  await until('the trace exists', async () => (await api.call('GET', `/v1/traces/${run}`)).status === 200);
  const step = {
    ...{ label: randomUUID(), ordinal: 1, step: 0, turn: 1, branch: null, record: id, screenshot: null },
    ...{ thought: 'Order', actions: [], quality: 'unknown' as const, reason: 'Unclear', source: 'model' as const },
    ...{ correctedThought: null, correctedActions: null, isDoubtful: true, note: null },
  };
  const facts = { goal: 'Order ropes', model: 'gemini/flash', sites: ['shop.test'], note: null };
  await saveTraceScore(api.context.pool, { run, version: SCORE_VERSION, steps: [step], ...facts });
  return { run, record: id };
}

const label = (run: string, body: object, key?: string, ordinal = 1) =>
  api.call<TraceDetail & Pick<Problem, 'errors'>>('PUT', `/v1/traces/${run}/steps/${ordinal}/label`, {
    body,
    ...(key && { key }),
  });

const clickOn = (elementIndex: number) => ({ kind: 'act', action: { action: 'click', target: { elementIndex } } });

test('a finished run with recorded turns gets one job, and other runs get none', async () => {
  const { body: plain } = await api.call<{ id: string }>('POST', '/v1/runs', {
    body: { steps: [{ action: 'wait', seconds: 0 }] },
  });
  await api.startRun(plain.id);
  await api.complete(plain.id);
  const { run } = await aScoredTrace();
  const { rows } = await api.context.pool.query<{ run: string; key: string }>(
    `SELECT params->>'run' AS run, dedupe_key AS key FROM job WHERE params->>'run' = ANY ($1)`,
    [[plain.id, run]],
  );
  expect(rows).toEqual([{ run, key: `${run}:${SCORE_VERSION}` }]);
  expect((await api.call('GET', `/v1/traces/${plain.id}`)).status).toBe(404);
}, 30_000);

test('a label names its author, wins, and keeps the history', async () => {
  const { run } = await aScoredTrace();
  const operator = await api.key('operator', 'default');
  const first = await label(run, { quality: 'bad', reason: 'Wrong button', correctedActions: [clickOn(3)] }, operator);
  expect(first.body).toMatchObject({ quality: 'bad', needsReview: false });
  const { body } = await label(run, { quality: 'good', reason: 'It was right' });
  expect(body).toMatchObject({
    quality: 'good',
    steps: [{ quality: 'good', reason: 'It was right', source: 'person' }],
  });
  expect(body.steps[0]?.labels).toMatchObject([
    { source: 'model', version: SCORE_VERSION, createdBy: null },
    { source: 'person', version: null, quality: 'bad', correctedActions: [clickOn(3)], createdBy: { kind: 'key' } },
    { source: 'person', reason: 'It was right', createdAt: expect.any(String) },
  ]);
}, 30_000);

describe('a label is refused', () => {
  let run: string;
  beforeAll(async () => {
    ({ run } = await aScoredTrace());
  }, 30_000);

  test.each<[string, object, string]>([
    [
      'an element that was not observed',
      { correctedActions: [clickOn(3), clickOn(99)] },
      '/correctedActions/1/action/target/elementIndex',
    ],
    [
      'an action of another surface',
      { correctedActions: [{ kind: 'act', action: { action: 'listWindows' } }] },
      '/correctedActions/0/action/action',
    ],
    [
      'a point outside of the viewport',
      { correctedActions: [{ kind: 'act', action: { action: 'click', target: { point: { x: 1200, y: 5 } } } }] },
      '/correctedActions/0/action/target',
    ],
    ['no reason', { reason: '' }, '/reason'],
    ['a correction of a good step', { quality: 'good', correctedThought: 'Stop' }, '/quality'],
  ])(
    'with %s',
    async (_, fields, pointer) => {
      const { status, body } = await label(run, { quality: 'bad', reason: 'x', ...fields });
      expect([status, body.errors?.map((error) => error.pointer)]).toEqual([400, [expect.stringContaining(pointer)]]);
      const trace = await api.call<TraceDetail>('GET', `/v1/traces/${run}`);
      expect(trace.body.steps[0]?.labels).toHaveLength(1);
    },
    30_000,
  );
});

test('a correction of a step whose record is damaged is refused, a label without it is not', async () => {
  const { run } = await aScoredTrace('{"version": 1');
  expect((await label(run, { quality: 'bad', reason: 'x', correctedActions: [clickOn(3)] })).status).toBe(410);
  expect((await label(run, { quality: 'bad', reason: 'x' })).status).toBe(200);
}, 30_000);

test('roles and projects limit who reads and labels', async () => {
  const { run } = await aScoredTrace();
  const viewer = await api.key('viewer', 'default');
  const stranger = await api.key('operator');
  expect((await api.call('GET', `/v1/traces/${run}`, { key: viewer })).status).toBe(200);
  expect((await label(run, { quality: 'good', reason: 'x' }, viewer)).status).toBe(403);
  expect((await api.call('GET', `/v1/traces/${run}`, { key: stranger })).status).toBe(404);
  expect((await label(run, { quality: 'good', reason: 'x' }, stranger)).status).toBe(404);
  expect((await label(run, { quality: 'good', reason: 'x' }, undefined, 2)).status).toBe(404);
  expect((await api.call('POST', `/v1/traces/${run}/pin`, { key: stranger })).status).toBe(404);
}, 30_000);

test('a trace is pinned and unpinned', async () => {
  const { run } = await aScoredTrace();
  expect((await api.call<Trace>('POST', `/v1/traces/${run}/pin`)).body).toMatchObject({ run, isPinned: true });
  expect((await api.call<Trace>('POST', `/v1/traces/${run}/unpin`)).body).toMatchObject({ run, isPinned: false });
}, 30_000);

test('traces are listed by filter, scored again and accepted', async () => {
  const { run } = await aScoredTrace();
  const list = async (query: string) =>
    (await api.call<Page<Trace>>('GET', `/v1/traces?${query}`)).body.items.map((trace) => trace.run);
  expect(await list(`search=${run.slice(0, 23)}&needsReview=true&quality=bad,unknown&model=gemini/flash`)).toEqual([
    run,
  ]);
  expect(await list(`runs=${run},${randomUUID()}`)).toEqual([run]);
  expect(await list(`runs=${randomUUID()}`)).toEqual([]);
  expect(await list(`search=${run}&surface=desktop`)).toEqual([]);
  expect(await list(`search=${run}&to=2020-01-01T00:00:00Z`)).toEqual([]);
  expect((await api.call('GET', '/v1/traces?quality=great')).status).toBe(400);

  const filter = { search: run };
  const score = await api.call('POST', '/v1/traces/score', { body: { filter } });
  expect([score.status, score.body]).toEqual([202, { version: SCORE_VERSION, jobs: 0, isComplete: true }]);
  expect((await api.call('POST', '/v1/traces/labels', { body: { filter } })).body).toMatchObject({ steps: 0 });
  await label(run, { quality: 'bad', reason: 'x' });
  const stats = await api.call<TraceStats>('GET', `/v1/traces/stats?search=${run}`);
  expect(stats.body).toMatchObject({
    total: { traces: 1, good: 0, bad: 1, unknown: 0, needsReview: 0 },
    models: [{ model: 'gemini/flash', bad: 1 }],
    agreement: [],
  });
}, 30_000);

test('the agreement of two reviewers is measured', async () => {
  const { run } = await aScoredTrace();
  await label(run, { quality: 'bad', reason: 'x' });
  await label(run, { quality: 'good', reason: 'x' }, await api.key('operator', 'default'));
  const { body } = await api.call<TraceStats>('GET', `/v1/traces/stats?search=${run}`);
  expect(body.agreement).toEqual([{ reviewers: expect.any(Array), count: 1, observed: 0, kappa: 0 }]);
}, 30_000);
