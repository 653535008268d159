import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { CorrectedAction, TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { SCORE_VERSION } from '@pilothouse/core/learning/score-steps';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStore } from '@pilothouse/infra-blob';
import { jobsConfig } from '@pilothouse/infra-config';
import { announceArtifact, createPool, JobStore, markStored, TraceStore, type Pool } from '@pilothouse/infra-db';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import { JobsApp } from '../jobs-app.ts';
import { createJobHandlers } from '../job-handlers.ts';

let database: TestDatabase;
let pool: Pool;
let folder: string;
let objects: BlobStore;
let models: ModelServer;
const apps: JobsApp[] = [];
const [project, fleet] = [randomUUID(), randomUUID()];
const never = new AbortController().signal;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  folder = await mkdtemp(join(tmpdir(), 'score-spec-'));
  objects = await createObjectStore(config().objectStore, systemClock);
  await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
  await pool.query(
    `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects)
     VALUES ($1, 'browser', 'browser', 2, 0, 3, 1, 60, '{}')`,
    [fleet],
  );
}, 60_000);

beforeEach(async () => {
  models = await startModels();
  models.policy = ({ text }) => ({
    text: JSON.stringify({ quality: 'good', reason: `Turn ${turnIn(text)} is right.` }),
  });
});

afterEach(async () => {
  for (const app of apps.splice(0)) await app.stop(5_000, 5_000, never);
  await models.close();
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const config = (environment: Record<string, string> = {}) =>
  jobsConfig({
    ...{ DATABASE_URL: database.url, REDIS_URL: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' },
    ...{
      OBJECT_STORE_DIR: folder,
      PILOTHOUSE_REDIS_PREFIX: `t${randomUUID().slice(0, 8)}`,
      PILOTHOUSE_JOBS_PORT: '0',
    },
    ...environment,
  });

/** Starts the job runner of the product. @param hasModel a model is configured */
async function startJobRunner(hasModel = true): Promise<JobsApp> {
  const environment = {
    ...{ PILOTHOUSE_MODEL: 'gemini/gemini-2.5-flash', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
  };
  const app = await JobsApp.start({
    config: config(hasModel ? environment : {}),
    createHandlers: createJobHandlers,
    log: memoryLog(),
    timing: { leaseMs: 10_000, renewMs: 1_000, pollMs: 200 },
  });
  apps.push(app);
  return app;
}

const turnIn = (text: string) => Number(/Turn (\d+) of the agent/.exec(text)?.[1]);

/** Turns that the model was asked about, in order. */
const askedTurns = () => models.requests.map(({ text }) => turnIn(text));

/** A turn with its own page, so that no rule applies. */
const aTurn = (turn: number, fields: Partial<TurnRecord> = {}): TurnRecord => {
  const record = turnRecord();
  return {
    ...record,
    turn,
    order: turn,
    observation: { ...record.observation, url: `https://shop.test/${turn}` },
    ...fields,
  };
};

/** A file of a run: a record, text instead of a record, or no object at all. */
type Stored = TurnRecord | string | null;

/** A finished run with the files of its turns. @returns its id */
async function aRecordedRun(files: readonly Stored[], status = 'completed'): Promise<string> {
  const run = randomUUID();
  await pool.query(
    `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status)
     VALUES ($1, $2, $3, 'shop', 'browser', '{}', 1, '{}', '{}', '{}', '{}', $4)`,
    [run, project, fleet, status],
  );
  await pool.query(
    `INSERT INTO trace (run_id, project_id, workflow_name, surface, status, created_at) VALUES ($1, $2, 'shop', 'browser', $3, now())`,
    [run, project, status],
  );
  for (const [index, file] of files.entries()) {
    const [id, key] = [randomUUID(), `runs/${run}/${index}.json`];
    const body = Buffer.from(typeof file === 'string' ? file : JSON.stringify({ ...file, run }));
    const facts = { name: `turn-0-${index + 1}.json`, contentType: 'application/json', size: body.length };
    await announceArtifact(pool, { id, run, epoch: 1, step: 0, kind: 'turn', key, ...facts });
    if (file !== null) await objects.put(key, body, { contentType: facts.contentType, maxBytes: body.length });
    await markStored(pool, id, body.length);
  }
  return run;
}

const jobStore = () => new JobStore(pool);

async function addJob(run: string, budgetUsd?: number): Promise<string> {
  const job = { id: randomUUID(), project, kind: 'score' as const, params: { run } };
  return (await jobStore().insert({ ...job, ...(budgetUsd !== undefined && { budgetUsd }) })).id;
}

const untilEnded = (id: string): Promise<Job> =>
  until('the job ends', async () => {
    const job = await jobStore().read(project, id);
    return job !== null && ['completed', 'failed'].includes(job.status) && job;
  });

async function traceOf(run: string): Promise<TraceDetail> {
  const trace = await new TraceStore(pool).read(project, run);
  if (!trace) throw new Error('The trace is missing');
  return trace;
}

const failed: TurnRecord['outcomes'] = [
  {
    ...{ sequence: 1, error: { code: 'TARGET_NOT_FOUND', message: 'No element', retry: 'no' }, durationMs: 5 },
    ...{ urlAfter: null, titleAfter: null, hasChanged: false },
  },
];

test('rules decide first, the model scores the rest and then sees the turns that rules call bad', async () => {
  // Files arrive in any order.
  const run = await aRecordedRun([aTurn(2, { outcomes: failed }), aTurn(1), aTurn(3)]);
  await startJobRunner();
  const job = await untilEnded(await addJob(run));
  expect(job).toMatchObject({ status: 'completed', result: { steps: 3, calls: 3, note: null } });
  expect(askedTurns()).toEqual([1, 3, 2]);
  expect(models.requests[0]?.text).toContain('Order three ropes');
  const trace = await traceOf(run);
  expect(trace).toMatchObject({
    ...{ quality: 'bad', goodCount: 2, badCount: 1, needsReview: false, scoreVersion: SCORE_VERSION },
    ...{ goal: 'Order three ropes', model: 'gemini/gemini-3-flash', sites: ['shop.test'] },
  });
  expect(trace.steps.map(({ turn, quality, source, reason }) => [turn, quality, source, reason])).toEqual([
    [1, 'good', 'model', 'Turn 1 is right.'],
    [2, 'bad', 'rule', '“Click [3] button "B3"” failed: No element'],
    [3, 'good', 'model', 'Turn 3 is right.'],
  ]);
  expect(trace.steps.map(({ labels }) => labels.length)).toEqual([1, 2, 1]);
}, 30_000);

test('a retried job asks no model twice', async () => {
  const run = await aRecordedRun([aTurn(1), aTurn(2), aTurn(3)]);
  const first = await startJobRunner();
  let stopped: Promise<void> | undefined;
  models.policy = ({ text }) => {
    if (turnIn(text) === 2) stopped ??= first.stop(10_000, 5_000, never);
    return { text: JSON.stringify({ quality: 'good', reason: 'Right.' }) };
  };
  const id = await addJob(run);
  await until('the job runner drains', () => stopped !== undefined);
  await stopped;
  apps.splice(0);
  expect(await jobStore().read(project, id)).toMatchObject({ status: 'queued' });
  expect(await traceOf(run)).toMatchObject({ scoredAt: null, steps: [] });
  await startJobRunner();
  expect(await untilEnded(id)).toMatchObject({ status: 'completed', result: { calls: 1 } });
  expect(askedTurns()).toEqual([1, 2, 3]);
  expect((await traceOf(run)).steps.map(({ labels }) => labels.length)).toEqual([1, 1, 1]);
}, 30_000);

test('a budget that is used up leaves steps unknown, and a later job completes them', async () => {
  const run = await aRecordedRun([aTurn(1), aTurn(2, { outcomes: failed }), aTurn(3)]);
  await startJobRunner();
  const job = await untilEnded(await addJob(run, 0.000_001));
  expect(job).toMatchObject({
    status: 'completed',
    result: { note: expect.stringContaining('without a score: 2. Steps without a correction: 1.') },
  });
  expect(models.requests).toEqual([]);
  const trace = await traceOf(run);
  expect(trace).toMatchObject({ needsReview: true, unknownCount: 2, badCount: 1, note: expect.any(String) });
  expect(trace.steps[0]).toMatchObject({ quality: 'unknown', isDoubtful: true });

  await untilEnded(await addJob(run));
  expect(await traceOf(run)).toMatchObject({ unknownCount: 0, goodCount: 2, needsReview: false, note: null });
  expect(askedTurns()).toEqual([1, 3, 2]);
}, 30_000);

test('without a model, rules score, and the rest needs a review', async () => {
  const run = await aRecordedRun([aTurn(1), aTurn(2, { outcomes: failed })]);
  await startJobRunner(false);
  expect(await untilEnded(await addJob(run))).toMatchObject({ status: 'completed' });
  expect(await traceOf(run)).toMatchObject({
    quality: 'bad',
    unknownCount: 1,
    needsReview: true,
    note: expect.any(String),
  });
}, 30_000);

test('missing and damaged records are unknown, with the reason', async () => {
  const run = await aRecordedRun([aTurn(1), '{"version":1', null, '{"version":2}']);
  const otherRecord = Buffer.from(JSON.stringify(aTurn(5)));
  await objects.put(`runs/${run}/1.json`, otherRecord, {
    contentType: 'application/json',
    maxBytes: otherRecord.length,
  });
  await startJobRunner();
  await untilEnded(await addJob(run));
  const { steps, unknownCount } = await traceOf(run);
  expect(unknownCount).toBe(3);
  // Files of the same instant have no order.
  expect(steps).toHaveLength(4);
  expect(steps.map(({ reason }) => reason)).toEqual(
    expect.arrayContaining([
      'Turn 1 is right.',
      'The record of the turn is damaged: it names another run.',
      'The record of the turn is missing in the object store.',
      expect.stringContaining('The record of the turn is damaged: /version'),
    ]),
  );
}, 30_000);

test('an invalid correction is dropped with a note, a valid one is stored', async () => {
  const run = await aRecordedRun([aTurn(1), aTurn(2)]);
  models.policy = ({ text }) => {
    const element = turnIn(text) === 1 ? 99 : 3;
    const correction = { correctedThought: 'Click it.', correctedActions: [{ action: 'click', element }] };
    return { text: JSON.stringify({ quality: 'bad', reason: 'Wrong.', ...correction }) };
  };
  await startJobRunner();
  await untilEnded(await addJob(run));
  const { steps, needsReview } = await traceOf(run);
  const click: CorrectedAction = { kind: 'act', action: { action: 'click', target: { elementIndex: 3 } } };
  expect(steps).toMatchObject([
    { correctedActions: null, correctedThought: null, note: expect.stringContaining('observed no element 99') },
    { correctedActions: [click], correctedThought: 'Click it.', note: null },
  ]);
  expect(needsReview).toBe(true);
}, 30_000);

const clickThree: CorrectedAction = { kind: 'act', action: { action: 'click', target: { elementIndex: 3 } } };
const correctingPolicy: ModelServer['policy'] = () => ({
  text: JSON.stringify({
    ...{ quality: 'bad', reason: 'Wrong.', correctedThought: 'Click it.' },
    correctedActions: [{ action: 'click', element: 3 }],
  }),
});

test('a turn that a rule calls bad gets the correction of the model, and keeps the score of the rule', async () => {
  const run = await aRecordedRun([aTurn(1, { outcomes: failed })]);
  models.policy = correctingPolicy;
  await startJobRunner();
  await untilEnded(await addJob(run));
  expect(models.requests[0]?.text).toContain('Rule: “Click [3] button "B3"” failed: No element');
  const reason = '“Click [3] button "B3"” failed: No element';
  const { steps, note } = await traceOf(run);
  expect(note).toBeNull();
  expect(steps).toMatchObject([
    {
      ...{ quality: 'bad', reason, source: 'rule', isDoubtful: false },
      ...{ correctedThought: 'Click it.', correctedActions: [clickThree] },
    },
  ]);
  const labels = steps[0]?.labels.map(({ source, reason: text }) => [source, text]) ?? [];
  expect(labels).toEqual(
    expect.arrayContaining([
      ['rule', reason],
      ['model', 'Wrong.'],
    ]),
  );
  await untilEnded(await addJob(run));
  expect(models.requests).toHaveLength(1);
  expect((await traceOf(run)).steps).toMatchObject([{ source: 'rule', correctedActions: [clickThree] }]);
}, 30_000);

test('a step with the label of a person gets no correction of the model', async () => {
  const run = await aRecordedRun([aTurn(1, { outcomes: failed })]);
  await startJobRunner(false);
  await untilEnded(await addJob(run));
  expect(await traceOf(run)).toMatchObject({ note: null, badCount: 1 });
  await apps.splice(0)[0]?.stop(5_000, 5_000, never);
  await pool.query(
    `INSERT INTO trace_label (id, run_id, ordinal, quality, reason, source) VALUES ($1, $2, 1, 'good', 'Intended.', 'person')`,
    [randomUUID(), run],
  );
  models.policy = correctingPolicy;
  await startJobRunner();
  expect(await untilEnded(await addJob(run))).toMatchObject({ status: 'completed', result: { calls: 0 } });
  expect(models.requests).toEqual([]);
}, 30_000);

test('actions of a person are the correction, without a model call', async () => {
  const agent = aTurn(1, { outcomes: failed });
  const person = { ...agent, order: 2, source: 'person' as const, outcomes: [], operator: 'ada@example.com' };
  const run = await aRecordedRun([agent, person]);
  await startJobRunner();
  await untilEnded(await addJob(run));
  expect(models.requests).toEqual([]);
  expect((await traceOf(run)).steps).toMatchObject([
    { quality: 'bad', source: 'person', correctedActions: [{ kind: 'act', action: agent.actions[0]?.action }] },
    { quality: 'good', source: 'person' },
  ]);
}, 30_000);

test('the job of a deleted run completes without a score', async () => {
  await startJobRunner();
  expect(await untilEnded(await addJob(randomUUID()))).toMatchObject({
    status: 'completed',
    result: { skipped: 'The run is deleted.' },
  });
}, 30_000);
