import { readBackgroundQueueStats } from '@pilothouse/infra-db';
import { findFreePort } from '@pilothouse/infra-embedded';
import { startModels } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { JobsHarness } from './testing/jobs-processes.fixture.ts';

let harness: JobsHarness;

beforeAll(async () => {
  harness = await JobsHarness.open();
}, 60_000);
afterEach(() => harness.reset());
afterAll(() => harness.close());

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

test('a job of a killed job runner continues from its checkpoint at another one, and nothing is doubled', async () => {
  const first = await harness.start();
  const id = await harness.addJob({ rows: 6 });
  await harness.openGate(3);
  await harness.untilRows(id, 3);
  await first.end('SIGKILL');
  const second = await harness.start();
  await harness.openGate(6);
  const job = await harness.untilStatus(id, 'completed');
  expect(job).toMatchObject({ attempts: 2, result: { rows: 6 }, progress: { done: 6, total: 6, unit: 'rows' } });
  const rows = await harness.rows(id);
  expect(rows.map(({ number }) => number)).toEqual(numbers(6));
  expect(rows.map(({ pid }) => pid)).toEqual([...numbers(3).map(() => first.pid), ...numbers(3).map(() => second.pid)]);
});

test('of two job runners, each job runs at one, and both run jobs', async () => {
  const jobRunners = [await harness.start(), await harness.start()];
  const ids = [await harness.addJob({ rows: 2 }), await harness.addJob({ rows: 2 })];
  const runningCount = async () => (await readBackgroundQueueStats(harness.pool, 5_000))[0]?.running;
  await until('both job runners have a job', async () => (await runningCount()) === 2);
  await harness.openGate(2);
  const pids = new Set<number>();
  for (const id of ids) {
    expect(await harness.untilStatus(id, 'completed')).toMatchObject({ attempts: 1 });
    const rows = await harness.rows(id);
    expect(rows.map(({ number }) => number)).toEqual([0, 1]);
    for (const { pid } of rows) pids.add(pid);
  }
  expect(pids).toEqual(new Set(jobRunners.map(({ pid }) => pid)));
});

test('jobs run while Redis is stopped, and after it is started again', async () => {
  await harness.start();
  const id = await harness.addJob({ rows: 4 });
  await harness.openGate(1);
  await harness.untilRows(id, 1);
  await harness.stopRedis();
  const duringOutage = await harness.addJob({ rows: 2 });
  await harness.openGate(4);
  for (const job of [id, duringOutage])
    expect(await harness.untilStatus(job, 'completed')).toMatchObject({ attempts: 1 });
  await harness.restartRedis();
  const laterJob = await harness.addJob({ rows: 1 });
  await harness.untilStatus(laterJob, 'completed');
  expect((await harness.rows(id)).map(({ number }) => number)).toEqual(numbers(4));
}, 90_000);

test('a running job is cancelled at the next heartbeat of its job runner', async () => {
  await harness.start();
  const id = await harness.addJob({ rows: 5 });
  await harness.openGate(2);
  await harness.untilRows(id, 2);
  expect(await harness.jobs.cancel(harness.project, id)).toBe(true);
  expect(await harness.untilStatus(id, 'cancelled')).toMatchObject({ isCancelRequested: true, error: null });
  await harness.openGate(5);
  // The job runner is free again.
  await harness.untilStatus(await harness.addJob({ rows: 5 }), 'completed');
  expect(await harness.rows(id)).toHaveLength(2);
});

test('a failed attempt is repeated after a delay, and a cancelled retry of it starts from the checkpoint', async () => {
  await harness.start();
  await harness.openGate(9);
  const id = await harness.addJob({ rows: 2, failures: 1 });
  const waiting = await until('the first attempt fails', async () => {
    const job = await harness.job(id);
    return job.attempts === 1 && job.status === 'queued' && job;
  });
  expect(waiting).toMatchObject({ error: { code: 'UNAVAILABLE', message: 'Attempt 1 failed on purpose' } });
  expect(Date.parse(waiting.runAt) - Date.now()).toBeGreaterThan(2_000);
  await harness.pool.query('UPDATE job SET run_at = now() WHERE id = $1', [id]);
  expect(await harness.untilStatus(id, 'completed')).toMatchObject({ attempts: 2, error: null });
});

test('SIGTERM ends a job runner after the next checkpoint, and the attempt does not count', async () => {
  const first = await harness.start();
  const id = await harness.addJob({ rows: 4 });
  await harness.openGate(1);
  await harness.untilRows(id, 1);
  const ended = first.end('SIGTERM');
  await until('the job runner drains', () => first.output().includes('job runner drains'));
  // The row in progress is finished.
  await harness.openGate(2);
  expect(await ended).toEqual([0, null]);
  expect(await harness.job(id)).toMatchObject({ status: 'queued', attempts: 0, error: null });
  expect(await harness.rows(id)).toHaveLength(2);
  await harness.openGate(4);
  const second = await harness.start();
  expect(await harness.untilStatus(id, 'completed')).toMatchObject({ attempts: 1 });
  expect((await harness.rows(id)).map(({ pid }) => pid)).toEqual([first.pid, first.pid, second.pid, second.pid]);
});

test('a second SIGTERM hands a job back in the middle of a row', async () => {
  const jobRunner = await harness.start();
  const id = await harness.addJob({ rows: 2 });
  await harness.openGate(1);
  // The job waits for its second row: before that, the first signal hands it back.
  await until('the first row is done', async () => (await harness.job(id)).progress?.done === 1);
  jobRunner.child.kill('SIGTERM');
  await until('the job runner drains', () => jobRunner.output().includes('job runner drains'));
  expect(await jobRunner.end('SIGTERM')).toEqual([0, null]);
  expect(await harness.job(id)).toMatchObject({ status: 'queued', attempts: 0 });
});

test('parameters that do not match the schema fail the job without a retry', async () => {
  await harness.start();
  const id = await harness.addJob({ rows: 0 });
  expect(await harness.untilStatus(id, 'failed')).toMatchObject({
    attempts: 1,
    error: { code: 'VALIDATION_FAILED', message: expect.stringContaining('rows') },
  });
});

test('a job stops at its budget, keeps its usage, and continues with a larger one', async () => {
  const models = await startModels();
  // 300 output tokens cost 0.00075 US dollars, less than the 100 that the request allows at most and the input.
  models.policy = () => ({ text: 'good', usage: { input: 40, output: 20 } });
  const environment = {
    PILOTHOUSE_MODEL: 'gemini/gemini-2.5-flash',
    GEMINI_API_KEY: 'key-of-gemini',
    GEMINI_BASE_URL: models.url,
  };
  const port = await findFreePort(0);
  await harness.start({ ...environment, PILOTHOUSE_JOBS_PORT: String(port) });
  await harness.openGate(9);
  const id = await harness.addJob({ rows: 5, asks: true }, { budgetUsd: 0.0004 });
  const failed = await harness.untilStatus(id, 'failed');
  expect(failed.error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
  const rowCount = (await harness.rows(id)).length;
  expect(rowCount).toBeGreaterThan(0);
  expect(models.requests).toHaveLength(rowCount);
  expect(failed.usedTokens).toBe(60 * rowCount);
  expect(failed.usedUsd).toBeGreaterThan(0);
  expect(failed.usedUsd).toBeLessThanOrEqual(0.0004);

  expect(await harness.jobs.retry(harness.project, id, 1)).toBe(true);
  const completed = await harness.untilStatus(id, 'completed');
  expect(completed).toMatchObject({ budgetUsd: 1, usedTokens: 300 });
  expect(models.requests).toHaveLength(5);
  expect((await harness.rows(id)).map(({ number }) => number)).toEqual(numbers(5));

  const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect(JSON.parse(await read('/healthz'))).toEqual({ status: 'ok', runningJobs: 0 });
  const metrics = await read('/metrics');
  expect(metrics).toContain('pilothouse_jobs_attempts_total{kind="score",result="failed"} 1');
  expect(metrics).toContain('pilothouse_jobs_attempts_total{kind="score",result="completed"} 1');
  expect(metrics).toContain('pilothouse_jobs_model_calls_total{kind="score",outcome="stop"} 5');
  expect(metrics).toMatch(/^pilothouse_jobs_model_usd_total\{kind="score"\} 0\.00/m);
  await models.close();
});
