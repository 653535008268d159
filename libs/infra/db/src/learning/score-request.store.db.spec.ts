import { randomUUID } from 'node:crypto';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { announceArtifact } from '../file/artifact.store.ts';
import { JobLeases } from '../job/job-leases.ts';
import { ScoreRequestStore } from './score-request.store.ts';
import { readTraceToScore, saveModelLabel, saveTraceScore } from './trace-score.store.ts';
import { addFinishedRun, addTraceOwner, aScoredStep } from './trace.fixture.ts';

let database: TestDatabase;
let pool: Pool;
let requests: ScoreRequestStore;
let owner: { project: string; fleet: string };

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  requests = new ScoreRequestStore(pool, randomUUID);
});

beforeEach(async () => {
  await pool.query('DELETE FROM project');
  owner = await addTraceOwner(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const ada: Actor = { kind: 'user', id: randomUUID(), name: 'ada@example.com' };

const announce = (run: string) =>
  announceArtifact(pool, {
    ...{ id: randomUUID(), run, epoch: 1, step: 0, kind: 'turn', name: 'turn-0-1.json' },
    ...{ contentType: 'application/json', size: 2, key: randomUUID() },
  });

const aRecordedRun = async () => {
  const run = await addFinishedRun(pool, owner);
  await announce(run);
  return run;
};

const jobs = async () =>
  (await pool.query<{ run: string; status: string }>(`SELECT params->>'run' AS run, status FROM job ORDER BY id`)).rows;

const score = (run: string, version: string, note: string | null = null) =>
  saveTraceScore(pool, { run, version, steps: [aScoredStep()], goal: '', model: null, sites: [], note });

test('a finished run gets one trace and one job, once', async () => {
  const run = await aRecordedRun();
  const ids = await Promise.all([1, 2, 3].map(() => requests.requestScore(run, '1.1')));
  expect(ids.filter((id) => id !== null)).toHaveLength(1);
  expect(await requests.requestScore(run, '1.1')).toBeNull();
  expect(await jobs()).toEqual([{ run, status: 'queued' }]);
  const { rows } = await pool.query('SELECT run_id, status, scored_at FROM trace');
  expect(rows).toEqual([{ run_id: run, status: 'completed', scored_at: null }]);
});

test('a deleted run gets no job', async () => {
  expect(await requests.requestScore(randomUUID(), '1.1')).toBeNull();
  expect(await jobs()).toEqual([]);
});

describe('scores are requested again', () => {
  const rescore = async (version = '1.1', filter = {}) => {
    const request = { filter, version, createdBy: ada, budgetUsd: 2 };
    const { jobs: ids, isComplete } = await requests.rescore(owner.project, request);
    return { jobs: ids.length, isComplete };
  };

  const complete = async () => {
    const leases = new JobLeases(pool);
    for (;;) {
      const job = await leases.claim({ kinds: ['score'], owner: 'spec', leaseMs: 30_000 });
      if (!job) return;
      await leases.complete(job, null);
    }
  };

  test('for another version, once', async () => {
    const run = await aRecordedRun();
    await requests.requestScore(run, '1.1');
    await score(run, '1.1');
    await complete();
    expect(await rescore('1.1')).toEqual({ jobs: 0, isComplete: true });
    expect(await rescore('1.2')).toEqual({ jobs: 1, isComplete: true });
    expect(await rescore('1.2')).toEqual({ jobs: 0, isComplete: true });
    expect(await jobs()).toHaveLength(2);
  });

  test('for an incomplete score, after its job has ended', async () => {
    const run = await aRecordedRun();
    await requests.requestScore(run, '1.1');
    expect(await rescore()).toEqual({ jobs: 0, isComplete: true });
    await score(run, '1.1', 'The budget is used up');
    await complete();
    expect(await rescore()).toMatchObject({ jobs: 1 });
    await complete();
    await score(run, '1.1', 'The budget is used up');
    expect(await rescore()).toMatchObject({ jobs: 1 });
    const { rows } = await pool.query(
      `SELECT budget_usd AS budget, created_by AS by FROM job WHERE created_by IS NOT NULL`,
    );
    expect(rows).toEqual([
      { budget: 2, by: ada },
      { budget: 2, by: ada },
    ]);
  });

  test('for matching traces only', async () => {
    await requests.requestScore(await aRecordedRun(), '1.1');
    await complete();
    expect(await rescore('1.1', { workflow: 'other' })).toMatchObject({ jobs: 0 });
    expect(await rescore('1.1', { workflow: 'shop' })).toMatchObject({ jobs: 1 });
  });

  test('with a failed job that starts again', async () => {
    await requests.requestScore(await aRecordedRun(), '1.1');
    await complete();
    expect(await rescore()).toMatchObject({ jobs: 1 });
    await pool.query(`UPDATE job SET status = 'failed' WHERE status = 'queued'`);
    expect(await rescore()).toMatchObject({ jobs: 1 });
    expect((await jobs()).map(({ status }) => status).toSorted()).toEqual(['completed', 'queued']);
  });
});

test('the answers of a model are kept before the trace is scored', async () => {
  const run = await aRecordedRun();
  await requests.requestScore(run, '1.1');
  const label = {
    ordinal: 1,
    quality: 'bad' as const,
    reason: 'Wrong',
    correctedThought: null,
    correctedActions: null,
    note: 'dropped',
  };
  expect(await saveModelLabel(pool, run, '1.1', label, randomUUID())).toBe(true);
  await saveModelLabel(pool, run, '1.1', { ...label, reason: 'again' }, randomUUID());
  const trace = await readTraceToScore(pool, run, '1.1');
  expect(trace).toMatchObject({
    run,
    status: 'completed',
    labels: [label],
    files: [{ name: 'turn-0-1.json', size: null }],
  });
  expect((await readTraceToScore(pool, run, '1.2'))?.labels).toEqual([]);
  expect(await readTraceToScore(pool, randomUUID(), '1.1')).toBeNull();
  expect(await saveModelLabel(pool, randomUUID(), '1.1', label, randomUUID())).toBe(false);
});
