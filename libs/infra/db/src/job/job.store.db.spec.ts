import { randomUUID } from 'node:crypto';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, inTransaction, type Pool } from '../client/pg-pool.ts';
import { addJob, addProject } from './job.fixture.ts';
import { insertJob, JobStore } from './job.store.ts';
import { JobLeases } from './job-leases.ts';

let database: TestDatabase;
let pool: Pool;
let jobs: JobStore;
let project: string;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  jobs = new JobStore(pool);
});

beforeEach(async () => {
  await pool.query('DELETE FROM project');
  project = await addProject(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const claim = () => new JobLeases(pool).claim({ kinds: ['score', 'export'], owner: 'spec', leaseMs: 30_000 });

test('of jobs with one dedupe key, concurrent inserts create only the first', async () => {
  const insert = () => jobs.insert({ id: randomUUID(), project, kind: 'score', params: {}, dedupeKey: 'run-1' });
  const results = await Promise.all(Array.from({ length: 8 }, insert));
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  // The key belongs to a project and a kind.
  await addJob(pool, project, { kind: 'export', dedupeKey: 'run-1' });
  await addJob(pool, await addProject(pool), { dedupeKey: 'run-1' });
  await addJob(pool, project);
  await addJob(pool, project);
  expect((await pool.query('SELECT FROM job')).rowCount).toBe(5);
});

test('a job is created with the change that causes it, or not at all', async () => {
  const work = inTransaction(pool, async (client) => {
    await insertJob(client, { id: randomUUID(), project, kind: 'score', params: {} });
    throw new Error('the change failed');
  });
  await expect(work).rejects.toThrow('the change failed');
  expect((await pool.query('SELECT FROM job')).rowCount).toBe(0);
});

test('a new job has its parameters, budget and author', async () => {
  const createdBy = { kind: 'user' as const, id: randomUUID(), name: 'ada@example.com' };
  const id = await addJob(pool, project, { kind: 'export', params: { b: 1, a: [2] }, budgetUsd: 1.5, createdBy });
  expect(await jobs.read(project, id)).toEqual({
    id,
    kind: 'export',
    status: 'queued',
    params: { b: 1, a: [2] },
    progress: null,
    result: null,
    error: null,
    attempts: 0,
    runAt: expect.any(String),
    isCancelRequested: false,
    budgetUsd: 1.5,
    usedUsd: 0,
    usedTokens: 0,
    createdBy,
    createdAt: expect.any(String),
    startedAt: null,
    finishedAt: null,
  });
  expect(await jobs.read(await addProject(pool), id)).toBeNull();
});

test('the list is paged, newest first, and filtered by kind and status', async () => {
  const ids: string[] = [];
  for (const kind of ['score', 'export', 'score'] as const) ids.unshift(await addJob(pool, project, { kind }));
  for (const [age, id] of ids.entries())
    await pool.query(`UPDATE job SET created_at = now() - $2 * interval '1 second' WHERE id = $1`, [id, age]);
  await addJob(pool, await addProject(pool));
  const first = await jobs.list(project, { limit: 2 });
  const second = await jobs.list(project, { limit: 2, cursor: first.nextCursor ?? undefined });
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
  expect(second.nextCursor).toBeNull();
  expect((await jobs.list(project, { limit: 9, kind: ['export'] })).items.map(({ id }) => id)).toEqual([ids[1]]);
  expect((await jobs.list(project, { limit: 9, status: ['running', 'failed'] })).items).toEqual([]);
});

test('a queued job is cancelled at once, and a running one when its job runner sees the request', async () => {
  const queued = await addJob(pool, project);
  expect(await jobs.cancel(project, queued)).toBe(true);
  expect(await jobs.read(project, queued)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
  expect(await jobs.cancel(project, queued)).toBe(false);

  const running = await addJob(pool, project);
  expect(await claim()).toMatchObject({ id: running });
  expect(await jobs.cancel(await addProject(pool), running)).toBe(false);
  expect(await jobs.cancel(project, running)).toBe(true);
  expect(await jobs.read(project, running)).toMatchObject({ status: 'running', isCancelRequested: true });
});

test('a retried job continues from its checkpoint with the usage so far, and a new budget', async () => {
  const id = await addJob(pool, project, { budgetUsd: 1 });
  expect(await jobs.retry(project, id)).toBe(false);
  const leases = new JobLeases(pool);
  const first = (await claim())!;
  await leases.saveCheckpoint(first, { done: 7 });
  await pool.query('UPDATE job SET used_usd = 0.9');
  await leases.fail(first, { code: 'BUDGET_EXCEEDED', message: 'The budget is used up', retry: 'no' }, null);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });

  expect(await jobs.retry(project, id, 5)).toBe(true);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'queued', error: null, attempts: 0, finishedAt: null });
  expect(await claim()).toMatchObject({
    id,
    epoch: 2,
    attempts: 1,
    checkpoint: { done: 7 },
    budgetUsd: 5,
    usedUsd: 0.9,
  });
});

test('old jobs are deleted after their end, except for tuning jobs and jobs of a dataset, an export or a model', async () => {
  const add = async (name: string, kind: 'score' | 'build_dataset' | 'export' | 'tune', days: number | null) => {
    const id = await addJob(pool, project, { kind, params: { name } });
    if (days !== null)
      await pool.query(
        `UPDATE job SET status = 'completed', finished_at = now() - $2 * interval '1 day' WHERE id = $1`,
        [id, days],
      );
    return id;
  };
  await add('old score', 'score', 91);
  await add('old export of a deleted dataset', 'export', 91);
  await add('recent score', 'score', 89);
  await add('queued score', 'score', null);
  await add('old tuning job', 'tune', 400);
  const [build, exported, model] = [
    await add('build of a dataset', 'build_dataset', 400),
    await add('export of a dataset', 'export', 400),
    await add('score of a model', 'score', 400),
  ];
  const dataset = randomUUID();
  await pool.query(
    `INSERT INTO dataset (id, project_id, name, version, query, shares, seed, license, consent, job_id)
     VALUES ($1, $2, 'orders', 1, '{}', '{}', 1, 'x', 'x', $3)`,
    [dataset, project, build],
  );
  await pool.query(`INSERT INTO dataset_export (id, dataset_id, options, job_id) VALUES ($1, $2, '{}', $3)`, [
    randomUUID(),
    dataset,
    exported,
  ]);
  await pool.query(
    `INSERT INTO registry_model (id, project_id, name, model, metrics, job_id) VALUES ($1, $2, 'rope', 'gemini/rope', '{}', $3)`,
    [randomUUID(), project, model],
  );
  expect(await jobs.purge(90)).toBe(2);
  const { rows } = await pool.query<{ name: string }>(`SELECT params->>'name' AS name FROM job ORDER BY 1`);
  expect(rows.map(({ name }) => name)).toEqual([
    'build of a dataset',
    'export of a dataset',
    'old tuning job',
    'queued score',
    'recent score',
    'score of a model',
  ]);
  expect(await jobs.purge(90)).toBe(0);
});
