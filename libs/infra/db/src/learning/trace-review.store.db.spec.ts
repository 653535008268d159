import { randomUUID } from 'node:crypto';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { TraceReviewStore } from './trace-review.store.ts';
import { saveTraceScore, type NewTraceStep } from './trace-score.store.ts';
import { addTraceOwner, addTrace, aScoredStep } from './trace.fixture.ts';
import { TraceStore } from './trace.store.ts';

let database: TestDatabase;
let pool: Pool;
let reviews: TraceReviewStore;
let traces: TraceStore;
let owner: { project: string; fleet: string };

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  reviews = new TraceReviewStore(pool, randomUUID);
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

const aTrace = async (steps: NewTraceStep[], facts: Parameters<typeof addTrace>[2] & { model?: string } = {}) => {
  const run = await addTrace(pool, owner, facts);
  const { model = null } = facts;
  await saveTraceScore(pool, { run, version: '1.1', steps, goal: '', model, sites: [], note: null });
  return run;
};

const label = (run: string, ordinal: number, createdBy: Actor, quality: 'good' | 'bad') =>
  traces.label(owner.project, {
    ...{ id: randomUUID(), run, ordinal, quality, reason: 'Looked', createdBy },
    ...{ correctedThought: null, correctedActions: null },
  });

const steps = async (run: string) => (await traces.read(owner.project, run))?.steps ?? [];

describe('acceptance by filter', () => {
  const accept = (filter = {}, dryRun = false) =>
    reviews.accept(owner.project, { filter, reason: 'Checked ten', createdBy: ada, dryRun });

  test('of selected runs is counted without a change, and leaves other runs', async () => {
    const [run, otherRun] = [await aTrace([aScoredStep(), aScoredStep({ ordinal: 2 })]), await aTrace([aScoredStep()])];
    const counts = { traces: 1, steps: 2, isComplete: true };
    expect(await accept({ runs: [run] }, true)).toEqual(counts);
    expect((await steps(run)).map(({ source }) => source)).toEqual(['model', 'model']);
    expect(await accept({ runs: [run] })).toEqual(counts);
    expect((await steps(run)).map(({ source }) => source)).toEqual(['person', 'person']);
    expect((await steps(otherRun)).map(({ source }) => source)).toEqual(['model']);
  });

  test('labels decided steps, and leaves unknown ones and those of persons', async () => {
    const correctedActions = [{ kind: 'done' as const, answer: '4' }];
    const run = await aTrace([
      aScoredStep({ isDoubtful: true }),
      aScoredStep({ ordinal: 2, quality: 'bad', correctedThought: 'Stop', correctedActions }),
      aScoredStep({ ordinal: 3, quality: 'unknown' }),
      aScoredStep({ ordinal: 4 }),
    ]);
    await label(run, 4, bob, 'bad');
    expect(await accept()).toEqual({ traces: 1, steps: 2, isComplete: true });
    const [first, second, third, fourth] = await steps(run);
    expect(first?.labels.at(-1)).toMatchObject({
      quality: 'good',
      reason: 'Checked ten',
      createdBy: ada,
      source: 'person',
    });
    expect(first).toMatchObject({ source: 'person', isDoubtful: false });
    expect(second?.labels.at(-1)).toMatchObject({ quality: 'bad', correctedThought: 'Stop', correctedActions });
    expect(third?.labels).toHaveLength(1);
    expect(fourth?.labels.at(-1)).toMatchObject({ createdBy: bob });
    expect(await accept()).toEqual({ traces: 0, steps: 0, isComplete: true });
  });

  test('ends the review of traces without unknown steps', async () => {
    const run = await aTrace([aScoredStep()], { status: 'failed' });
    expect((await traces.read(owner.project, run))?.needsReview).toBe(true);
    await accept({ needsReview: true });
    expect(await traces.read(owner.project, run)).toMatchObject({ needsReview: false, quality: 'good' });
  });

  test('changes no other trace', async () => {
    const run = await aTrace([aScoredStep()]);
    expect(await accept({ workflow: 'other' })).toMatchObject({ steps: 0 });
    const otherOwner = await addTraceOwner(pool);
    expect(
      await reviews.accept(otherOwner.project, { filter: {}, reason: 'x', createdBy: ada, dryRun: false }),
    ).toMatchObject({
      steps: 0,
    });
    expect((await steps(run))[0]?.labels).toHaveLength(1);
  });
});

test('scored traces are counted by day, workflow and model', async () => {
  const day = (number: number) => new Date(`2026-01-0${number}T23:30:00Z`);
  const bad = aScoredStep({ ordinal: 2, quality: 'bad' });
  await aTrace([aScoredStep(), bad], { createdAt: day(1), model: 'a/x' });
  await aTrace([aScoredStep()], { createdAt: day(2), model: 'a/x', workflowName: 'order' });
  await aTrace([aScoredStep({ quality: 'unknown' })], { createdAt: day(2) });
  await addTrace(pool, owner);
  expect(await reviews.count(owner.project, {})).toEqual({
    total: { traces: 3, good: 2, bad: 1, unknown: 1, needsReview: 1 },
    days: [
      { day: '2026-01-01', traces: 1, good: 1, bad: 1, unknown: 0, needsReview: 0 },
      { day: '2026-01-02', traces: 2, good: 1, bad: 0, unknown: 1, needsReview: 1 },
    ],
    workflows: [
      { workflow: 'shop', traces: 2, good: 1, bad: 1, unknown: 1, needsReview: 1 },
      { workflow: 'order', traces: 1, good: 1, bad: 0, unknown: 0, needsReview: 0 },
    ],
    models: [
      { model: 'a/x', traces: 2, good: 2, bad: 1, unknown: 0, needsReview: 0 },
      { model: null, traces: 1, good: 0, bad: 0, unknown: 1, needsReview: 1 },
    ],
  });
  expect((await reviews.count(owner.project, { workflow: 'order' })).total).toMatchObject({ traces: 1 });
});

test('the last label of each reviewer counts, for steps with two reviewers', async () => {
  const run = await aTrace([aScoredStep(), aScoredStep({ ordinal: 2 })]);
  await label(run, 1, ada, 'bad');
  await label(run, 1, ada, 'good');
  await label(run, 1, bob, 'bad');
  await label(run, 2, bob, 'bad');
  expect(await reviews.reviewerLabels(owner.project, {})).toEqual([
    { item: `${run} 1`, reviewer: 'ada@example.com', label: 'good' },
    { item: `${run} 1`, reviewer: 'bob@example.com', label: 'bad' },
  ]);
});
