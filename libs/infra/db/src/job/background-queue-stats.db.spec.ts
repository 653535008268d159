import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { JobLeases } from './job-leases.ts';
import { addJob, addProject } from './job.fixture.ts';
import { readBackgroundQueueStats } from './background-queue-stats.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const stats = async () =>
  Object.fromEntries((await readBackgroundQueueStats(pool, 5_000)).map(({ kind, ...counts }) => [kind, counts]));

test('jobs are counted by kind, with the wait of the oldest job that is due', async () => {
  const project = await addProject(pool);
  expect(await stats()).toEqual({});
  await addJob(pool, project);
  await new JobLeases(pool).claim({ kinds: ['score'], owner: 'spec', leaseMs: 60_000 });
  expect(await stats()).toEqual({ score: { queued: 0, running: 1, oldestSeconds: 0 } });
  const due = await addJob(pool, project);
  await pool.query(`UPDATE job SET run_at = now() - interval '90 seconds' WHERE id = $1`, [due]);
  const later = await addJob(pool, project, { kind: 'tune' });
  await pool.query(`UPDATE job SET run_at = now() + interval '90 seconds' WHERE id = $1`, [later]);
  const counts = await stats();
  expect(counts).toMatchObject({ score: { queued: 1, running: 1 }, tune: { queued: 1, running: 0, oldestSeconds: 0 } });
  expect(counts.score?.oldestSeconds).toBeGreaterThan(89);
});

test('a job whose job runner was lost waits since its lease expired, and ended jobs are not counted', async () => {
  await pool.query(`UPDATE job SET status = 'completed', finished_at = now() WHERE status <> 'running'`);
  await pool.query(`UPDATE job SET lease_expires_at = now() - interval '300 seconds' WHERE status = 'running'`);
  const { score, ...others } = await stats();
  expect(others).toEqual({});
  expect(score).toMatchObject({ queued: 1, running: 0 });
  expect(score?.oldestSeconds).toBeGreaterThan(299);
});
