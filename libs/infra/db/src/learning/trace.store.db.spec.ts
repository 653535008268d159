import { randomUUID } from 'node:crypto';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { TraceFilter } from '@pilothouse/contract/learning/trace.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { saveTraceScore, type NewTraceStep } from './trace-score.store.ts';
import { addTraceOwner, addTrace, aScoredStep } from './trace.fixture.ts';
import { TraceStore } from './trace.store.ts';

let database: TestDatabase;
let pool: Pool;
let traces: TraceStore;
let owner: { project: string; fleet: string };

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  traces = new TraceStore(pool);
});

beforeEach(async () => {
  owner = await addTraceOwner(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const ada: Actor = { kind: 'user', id: randomUUID(), name: 'ada@example.com' };
const bob: Actor = { kind: 'user', id: randomUUID(), name: 'bob@example.com' };

const score = (run: string, steps: NewTraceStep[], version = '1.1', model = 'gemini/flash') =>
  saveTraceScore(pool, { run, version, steps, goal: 'Buy 50% more', model, sites: ['shop.example'], note: null });

const labelBy = (run: string, createdBy: Actor, label: { ordinal?: number; quality?: 'good' | 'bad' } = {}) =>
  traces.label(owner.project, {
    id: randomUUID(),
    run,
    ordinal: 1,
    quality: 'good',
    reason: 'I looked.',
    correctedThought: null,
    correctedActions: null,
    createdBy,
    ...label,
  });

const read = async (run: string) => {
  const trace = await traces.read(owner.project, run);
  if (!trace) throw new Error('The trace is missing');
  return trace;
};

test.each([
  ['all steps are good', 'completed', ['good', 'good'], { quality: 'good', needsReview: false }],
  ['one step is bad', 'completed', ['good', 'bad'], { quality: 'bad', needsReview: false }],
  ['one step is unknown', 'completed', ['good', 'unknown'], { quality: 'unknown', needsReview: true }],
  ['the run failed although all steps are good', 'failed', ['good'], { quality: 'unknown', needsReview: true }],
  ['the run failed and a step is bad', 'failed', ['good', 'bad'], { quality: 'bad', needsReview: false }],
  ['there is no step', 'completed', [], { quality: 'unknown', needsReview: true }],
] as const)('a trace is summarized when %s', async (_, status, qualities, expected) => {
  const run = await addTrace(pool, owner, { status });
  await score(
    run,
    qualities.map((quality, index) => aScoredStep({ ordinal: index + 1, quality })),
  );
  const count = (wanted: string) => qualities.filter((quality) => quality === wanted).length;
  expect(await read(run)).toMatchObject({
    ...expected,
    stepCount: qualities.length,
    goodCount: count('good'),
    badCount: count('bad'),
    unknownCount: count('unknown'),
    scoreVersion: '1.1',
    scoredAt: expect.any(String),
  });
});

test('a repeated score of one version adds no label, a later version adds one', async () => {
  const run = await addTrace(pool, owner);
  await score(run, [aScoredStep({ quality: 'bad', reason: 'first' })]);
  await score(run, [aScoredStep({ quality: 'bad', reason: 'first' })]);
  await score(run, [aScoredStep({ reason: 'second' })], '1.2');
  const { steps, scoreVersion } = await read(run);
  expect(scoreVersion).toBe('1.2');
  expect(steps).toMatchObject([{ quality: 'good', reason: 'second', version: '1.2' }]);
  expect(steps[0]?.labels.map(({ version, reason, createdBy }) => [version, reason, createdBy])).toEqual([
    ['1.1', 'first', null],
    ['1.2', 'second', null],
  ]);
});

test('a label of a person takes precedence over later scores, and its history names the person', async () => {
  const run = await addTrace(pool, owner);
  await score(run, [aScoredStep({ quality: 'unknown', isDoubtful: true })]);
  expect((await read(run)).needsReview).toBe(true);
  const correctedActions = [
    { kind: 'act' as const, action: { action: 'click' as const, target: { elementIndex: 3 } } },
  ];
  await traces.label(owner.project, {
    ...{ id: randomUUID(), run, ordinal: 1, quality: 'bad', reason: 'Wrong button', createdBy: ada },
    ...{ correctedThought: 'Press Buy.', correctedActions },
  });
  await score(run, [aScoredStep({ quality: 'good', thought: 'read again' })], '1.2');
  const trace = await read(run);
  expect(trace).toMatchObject({ quality: 'bad', needsReview: false, scoreVersion: '1.2' });
  expect(trace.steps).toMatchObject([
    {
      quality: 'bad',
      reason: 'Wrong button',
      source: 'person',
      correctedActions,
      version: '1.2',
      thought: 'read again',
    },
  ]);
  expect(trace.steps[0]?.labels).toMatchObject([
    { version: '1.1', source: 'model' },
    { version: null, source: 'person', createdBy: ada, correctedThought: 'Press Buy.', correctedActions },
    { version: '1.2', source: 'model', quality: 'good' },
  ]);
});

test('the newest label of a person is in effect, and earlier ones remain', async () => {
  const run = await addTrace(pool, owner, { status: 'failed' });
  await score(run, [aScoredStep()]);
  await labelBy(run, ada, { quality: 'bad' });
  await labelBy(run, bob, { quality: 'good' });
  const trace = await read(run);
  expect(trace).toMatchObject({ quality: 'good', needsReview: false });
  expect(trace.steps[0]?.labels.map(({ createdBy, quality }) => [createdBy?.name, quality])).toEqual([
    [undefined, 'good'],
    ['ada@example.com', 'bad'],
    ['bob@example.com', 'good'],
  ]);
});

test('a label for another project, run or step changes nothing', async () => {
  const run = await addTrace(pool, owner);
  await score(run, [aScoredStep()]);
  expect(await labelBy(run, ada, { ordinal: 2 })).toBe(false);
  expect(await labelBy(randomUUID(), ada)).toBe(false);
  const { project } = await addTraceOwner(pool);
  const id = randomUUID();
  const label = { ...aScoredStep({ quality: 'bad' }), id, run, createdBy: ada };
  expect(await traces.label(project, label)).toBe(false);
  expect((await read(run)).steps[0]?.labels).toHaveLength(1);
});

test('a later score keeps steps whose records are gone', async () => {
  const run = await addTrace(pool, owner);
  await score(run, [aScoredStep(), aScoredStep({ ordinal: 2 })]);
  await score(run, [aScoredStep({ quality: 'bad' })], '1.2');
  expect((await read(run)).steps.map(({ quality, version }) => [quality, version])).toEqual([
    ['bad', '1.2'],
    ['good', '1.1'],
  ]);
});

test('the score of a deleted run is reported as not saved', async () => {
  const run = await addTrace(pool, owner);
  await score(run, [aScoredStep()]);
  await pool.query('DELETE FROM run WHERE id = $1', [run]);
  expect(await score(run, [aScoredStep()])).toBe(false);
  const { rows } = await pool.query('SELECT 1 FROM trace_label WHERE run_id = $1', [run]);
  expect(rows).toEqual([]);
});

test('traces are listed in pages, newest run first', async () => {
  const runs: string[] = [];
  for (const day of [1, 2, 3])
    runs.unshift(await addTrace(pool, owner, { createdAt: new Date(`2026-01-0${day}T00:00:00Z`) }));
  const first = await traces.list(owner.project, { limit: 2 });
  expect(first.items.map(({ run }) => run)).toEqual(runs.slice(0, 2));
  const second = await traces.list(owner.project, { limit: 2, cursor: first.nextCursor ?? '' });
  expect(second).toMatchObject({ items: [{ run: runs[2] }], nextCursor: null });
});

test.each<[string, TraceFilter, string[]]>([
  ['workflow', { workflow: 'order' }, ['b']],
  ['quality', { quality: ['bad', 'unknown'] }, ['b', 'c']],
  ['review', { needsReview: true }, ['c']],
  ['no review', { needsReview: false }, ['a', 'b']],
  ['model', { model: 'openai/mini' }, ['b']],
  ['surface', { surface: 'desktop' }, ['c']],
  ['date', { from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' }, ['b']],
  ['text of the goal, with wildcards as text', { search: '50% MORE' }, ['a', 'b', 'c']],
  ['wildcards that match nothing', { search: 'b_y' }, []],
  ['several at once', { quality: ['bad'], model: 'gemini/flash' }, []],
])('traces are selected by %s', async (_, filter, expected) => {
  const a = await addTrace(pool, owner, { createdAt: new Date('2026-01-01T00:00:00Z') });
  const b = await addTrace(pool, owner, { createdAt: new Date('2026-01-02T00:00:00Z'), workflowName: 'order' });
  const c = await addTrace(pool, owner, { createdAt: new Date('2026-01-03T00:00:00Z'), surface: 'desktop' });
  await score(a, [aScoredStep()]);
  await score(b, [aScoredStep({ quality: 'bad' })], '1.1', 'openai/mini');
  await score(c, [aScoredStep({ quality: 'unknown' })]);
  const names = new Map([
    [a, 'a'],
    [b, 'b'],
    [c, 'c'],
  ]);
  const { items } = await traces.list(owner.project, { limit: 10, ...filter });
  expect(items.map(({ run }) => names.get(run)).toSorted()).toEqual(expected);
});

test('a trace is pinned and unpinned', async () => {
  const run = await addTrace(pool, owner);
  expect(await traces.pin(owner.project, run, true)).toBe(true);
  expect((await read(run)).isPinned).toBe(true);
  expect(await traces.pin(owner.project, run, false)).toBe(true);
  expect((await read(run)).isPinned).toBe(false);
  expect(await traces.pin(randomUUID(), run, true)).toBe(false);
});
