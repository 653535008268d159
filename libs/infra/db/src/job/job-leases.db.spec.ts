import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_JOB_ATTEMPTS, type JobKind } from '@pilothouse/contract/job/job.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { addJob, addProject } from './job.fixture.ts';
import { JobStore } from './job.store.ts';
import { inJobTransaction, JobLeases, saveJobCheckpoint, type JobLease } from './job-leases.ts';

let database: TestDatabase;
let pool: Pool;
let jobs: JobStore;
let leases: JobLeases;
let project: string;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  jobs = new JobStore(pool);
  leases = new JobLeases(pool);
});

beforeEach(async () => {
  await pool.query('DELETE FROM project');
  project = await addProject(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const claim = (kinds: readonly JobKind[] = ['score']) =>
  leases.claim({ kinds, owner: 'job-runner-1', leaseMs: 30_000 });

/** Lets the leases of all running jobs expire. */
const expireLeases = () => pool.query(`UPDATE job SET lease_expires_at = now() - interval '1 second'`);

const failure: ErrorView = { code: 'INTERNAL', message: 'The store did not answer', retry: 'same-request' };

test('concurrent claims get different jobs, and none is claimed twice', async () => {
  for (let count = 0; count < 6; count += 1) await addJob(pool, project);
  const claimed: string[] = [];
  // A claim may find nothing while others lock the same rows.
  while (claimed.length < 6) {
    for (const job of await Promise.all(Array.from({ length: 4 }, () => claim()))) if (job) claimed.push(job.id);
  }
  expect(new Set(claimed).size).toBe(6);
  expect(await claim()).toBeNull();
});

test('the project with the fewest running jobs goes first, then the oldest job', async () => {
  const first = await addJob(pool, project);
  const second = await addJob(pool, project);
  const third = await addJob(pool, project);
  const otherJob = await addJob(pool, await addProject(pool));
  for (const [index, id] of [first, second, third, otherJob].entries())
    await pool.query(`UPDATE job SET run_at = now() - $2 * interval '1 second' WHERE id = $1`, [id, 9 - index]);
  const order = [await claim(), await claim(), await claim(), await claim()].map((job) => job?.id);
  expect(order).toEqual([first, otherJob, second, third]);
});

test('a job of another kind, or one that is not due, is not claimed', async () => {
  await addJob(pool, project, { kind: 'tune' });
  const later = await addJob(pool, project);
  await pool.query(`UPDATE job SET run_at = now() + interval '1 minute' WHERE id = $1`, [later]);
  expect(await claim()).toBeNull();
  expect(await claim(['tune'])).toMatchObject({ kind: 'tune', epoch: 1, attempts: 1, checkpoint: null });
});

test('an attempt that lost its lease writes nothing', async () => {
  const id = await addJob(pool, project);
  const lost = (await claim())!;
  await expireLeases();
  expect(await leases.reclaimExpired()).toEqual([{ id, kind: 'score', status: 'queued' }]);
  const expectLost = async () => {
    for (const write of [
      leases.progress(lost, { done: 1, total: 2, unit: 'steps' }),
      leases.saveCheckpoint(lost, 1),
      leases.complete(lost, 'lost'),
      leases.fail(lost, failure, 1000),
      leases.endCancelled(lost),
      leases.handBack(lost),
      inJobTransaction(pool, lost, (client) => client.query('DELETE FROM project')),
    ])
      await expect(write).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await leases.renew([lost], 30_000)).toEqual([]);
  };
  await expectLost();
  const next = (await claim())!;
  expect(next).toMatchObject({ id, epoch: 2, attempts: 2, checkpoint: null });
  await expectLost();
  await leases.complete(next, { scored: 3 });
  expect(await jobs.read(project, id)).toMatchObject({ status: 'completed', result: { scored: 3 }, attempts: 2 });
  await expect(leases.complete(next, 'again')).rejects.toMatchObject({ code: 'LEASE_LOST' });
});

test('a renewal prolongs leases and reports requested cancellations', async () => {
  const id = await addJob(pool, project);
  const lease = (await claim())!;
  await expireLeases();
  expect(await leases.renew([lease], 30_000)).toEqual([{ id, epoch: 1, isCancelRequested: false }]);
  expect(await leases.reclaimExpired()).toEqual([]);
  await jobs.cancel(project, id);
  expect(await leases.renew([lease], 30_000)).toEqual([{ id, epoch: 1, isCancelRequested: true }]);
  await leases.endCancelled(lease);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
});

test('a failed attempt is repeated after its delay, with the error of the last one', async () => {
  const id = await addJob(pool, project);
  await leases.fail((await claim())!, failure, 60_000);
  const job = (await jobs.read(project, id))!;
  expect(job).toMatchObject({ status: 'queued', error: failure, attempts: 1, finishedAt: null });
  expect(Date.parse(job.runAt)).toBeGreaterThan(Date.parse(job.createdAt) + 59_000);
  expect(await claim()).toBeNull();
  await pool.query('UPDATE job SET run_at = now()');
  await leases.complete((await claim())!, null);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'completed', error: null, attempts: 2 });
});

test('a job that loses every job runner fails after its last attempt', async () => {
  const id = await addJob(pool, project);
  for (let attempt = 1; attempt <= MAX_JOB_ATTEMPTS; attempt += 1) {
    expect(await claim()).toMatchObject({ attempts: attempt });
    await expireLeases();
    await leases.reclaimExpired();
  }
  expect(await jobs.read(project, id)).toMatchObject({
    status: 'failed',
    error: { code: 'POISON_JOB' },
    finishedAt: expect.any(String),
  });
});

const attemptEnds: [string, (lease: JobLease) => Promise<unknown>][] = [
  ['its job runner is lost', () => expireLeases().then(() => leases.reclaimExpired())],
  ['it is handed back', (lease) => leases.handBack(lease)],
  ['its attempt fails', (lease) => leases.fail(lease, failure, 0)],
];

test.each(attemptEnds)('a job with a requested cancellation does not start again when %s', async (_, end) => {
  const id = await addJob(pool, project);
  const lease = (await claim())!;
  await jobs.cancel(project, id);
  await end(lease);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
});

test.each(attemptEnds)(
  'a cancelled training starts again when %s, so that it is cancelled at its tuner',
  async (_, end) => {
    const id = await addJob(pool, project, { kind: 'tune' });
    const lease = (await claim(['tune']))!;
    expect(lease.isCancelRequested).toBe(false);
    await jobs.cancel(project, id);
    await end(lease);
    expect(await jobs.read(project, id)).toMatchObject({ status: 'queued', isCancelRequested: true, finishedAt: null });
    const next = (await claim(['tune']))!;
    expect(next).toMatchObject({ id, isCancelRequested: true });
    await leases.endCancelled(next);
    expect(await jobs.read(project, id)).toMatchObject({ status: 'cancelled' });
  },
);

test('a tuning job that was claimed once is not cancelled in the queue, even without a checkpoint', async () => {
  const id = await addJob(pool, project, { kind: 'tune' });
  await leases.handBack((await claim(['tune']))!);
  await jobs.cancel(project, id);
  expect(await jobs.read(project, id)).toMatchObject({ status: 'queued', isCancelRequested: true, attempts: 0 });
  const otherJob = await addJob(pool, project, { kind: 'tune' });
  await jobs.cancel(project, otherJob);
  expect(await jobs.read(project, otherJob)).toMatchObject({ status: 'cancelled' });
});

test('a cancelled training that loses every job runner fails, and names the tuning job at its tuner', async () => {
  const id = await addJob(pool, project, { kind: 'tune' });
  for (let attempt = 1; attempt <= MAX_JOB_ATTEMPTS; attempt += 1) {
    const lease = (await claim(['tune']))!;
    if (attempt === 1) await leases.saveCheckpoint(lease, { tunerJob: 'ftjob-1' });
    await jobs.cancel(project, id);
    await expireLeases();
    await leases.reclaimExpired();
  }
  expect(await jobs.read(project, id)).toMatchObject({
    status: 'failed',
    error: {
      ...{ code: 'POISON_JOB', retry: 'no' },
      message: expect.stringMatching(
        /lost its job runner in 5 attempts.* Its training ftjob-1 may still run at the tuner\.$/,
      ),
    },
  });
});

test('an attempt that is handed back does not count, and its checkpoint is kept', async () => {
  await addJob(pool, project);
  const lease = (await claim())!;
  await leases.saveCheckpoint(lease, { ordinal: 12 });
  await leases.handBack(lease);
  expect(await claim()).toMatchObject({ attempts: 1, epoch: 2, checkpoint: { ordinal: 12 } });
});

test('rows of an attempt and its checkpoint are stored together', async () => {
  const id = await addJob(pool, project);
  const lease = (await claim())!;
  const storeRows = (fails: boolean) =>
    inJobTransaction(pool, lease, async (client) => {
      await client.query('UPDATE project SET name = $1', ['changed by the job']);
      await saveJobCheckpoint(client, lease, 5);
      if (fails) throw new Error('lost connection');
    });
  const read = async () =>
    (await pool.query('SELECT checkpoint, name FROM job j JOIN project p ON p.id = project_id WHERE j.id = $1', [id]))
      .rows[0];
  await expect(storeRows(true)).rejects.toThrow('lost connection');
  expect(await read()).toMatchObject({ checkpoint: null });
  await storeRows(false);
  expect(await read()).toEqual({ checkpoint: 5, name: 'changed by the job' });
});
