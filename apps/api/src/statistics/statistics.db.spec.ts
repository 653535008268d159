import type { Statistics } from '@pilothouse/contract/api/project.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const none = { queued: 0, running: 0, awaiting_user: 0, completed: 0, failed: 0, cancelled: 0 };
const readStatistics = async (query = '', key = api.admin) =>
  (await api.call<Statistics>('GET', `/v1/statistics${query}`, { key })).body;

/** Start of the hour in which the test started: the clock may pass into the next one. */
const thisHour = Math.floor(Date.now() / 3_600_000) * 3_600_000;

/** Row of a finished run. @param hours since it was submitted */
async function insertEnded(hours: number, columns: Record<string, unknown>): Promise<string> {
  const { body } = await api.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } });
  const names = Object.keys(columns);
  const set = names.map((name, n) => `${name} = $${n + 3}`).join(', ');
  await api.context.pool.query(`UPDATE run SET created_at = $2, started_at = now(), ${set} WHERE id = $1`, [
    body.id,
    new Date(thisHour - hours * 3_600_000),
    ...Object.values(columns),
  ]);
  return body.id;
}

test('a project without runs has an entry for each hour, and empty shares', async () => {
  const statistics = await readStatistics();
  expect(statistics.hours).toHaveLength(24);
  expect(statistics.hours[0]?.at).toBe(statistics.from);
  expect(Date.parse(statistics.hours[23]?.at ?? '') % 3_600_000).toBe(0);
  expect(Date.now() - Date.parse(statistics.hours[23]?.at ?? '')).toBeLessThan(3_660_000);
  expect(statistics).toMatchObject({
    runs: none,
    success: null,
    modelFree: null,
    seconds: null,
    failures: [],
    usage: { calls: 0, tokens: 0, usd: 0 },
  });
});

test('runs are counted by hour, with usage and step tiers', async () => {
  const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000);
  const completedRun = await insertEnded(0, {
    status: 'completed',
    finished_at: secondsFromNow(10),
    used_calls: 2,
    used_tokens: 900,
    used_usd: 0.25,
  });
  await insertEnded(2, {
    status: 'completed',
    finished_at: secondsFromNow(30),
    used_calls: 1,
    used_tokens: 100,
    used_usd: 0.5,
  });
  await insertEnded(2, { status: 'failed', error: { code: 'GOAL_FAILED', message: 'x', retry: 'no' } });
  await insertEnded(3, { status: 'failed', error: { code: 'TARGET_NOT_FOUND', message: 'x', retry: 'no' } });
  await insertEnded(4, { status: 'failed', error: { code: 'GOAL_FAILED', message: 'x', retry: 'no' } });
  await insertEnded(5, { status: 'cancelled' });
  const old = await insertEnded(30, { status: 'completed', used_calls: 1000 });
  for (const [run, step, tier] of [
    [completedRun, 0, 0],
    [completedRun, 1, 0],
    [completedRun, 2, 0],
    [completedRun, 3, 2],
    [completedRun, 4, null],
    [old, 0, 3],
  ]) {
    await api.context.pool.query(
      `INSERT INTO run_step (run_id, step, epoch, status, tier) VALUES ($1, $2, 1, 'done', $3)`,
      [run, step, tier],
    );
  }
  const statistics = await readStatistics();
  expect(statistics.runs).toEqual({ ...none, completed: 2, failed: 3, cancelled: 1 });
  expect(statistics.success).toBeCloseTo(2 / 5);
  expect(statistics.steps).toEqual({ total: 4, modelFree: 3, retries: 0 });
  expect(statistics.modelFree).toBe(0.75);
  expect(statistics.usage).toEqual({ calls: 3, tokens: 1000, usd: 0.75 });
  expect(statistics.seconds?.median).toBeGreaterThan(10);
  expect(statistics.seconds?.p95).toBeGreaterThan(statistics.seconds?.median ?? 0);
  expect(statistics.failures).toEqual([
    { code: 'GOAL_FAILED', runs: 2 },
    { code: 'TARGET_NOT_FOUND', runs: 1 },
  ]);
  const week = await readStatistics('?hours=168');
  expect(week.hours).toHaveLength(168);
  expect(week.usage.calls).toBe(1003);
  // Indexed from the end: the clock may pass into the next hour during the request.
  const withRuns = statistics.hours.filter(({ runs }) => Object.values(runs).some((count) => count > 0));
  expect(withRuns.map(({ runs }) => runs)).toEqual([
    { ...none, cancelled: 1 },
    { ...none, failed: 1 },
    { ...none, failed: 1 },
    { ...none, completed: 1, failed: 1 },
    { ...none, completed: 1 },
  ]);
  expect(withRuns.at(-1)?.usage).toEqual({ calls: 2, tokens: 900, usd: 0.25 });
});

test('only runs of the own project are counted', async () => {
  expect((await readStatistics('?hours=168', await api.key('viewer'))).runs).toEqual(none);
});

test.each(['?hours=0', '?hours=169', '?hours=1.5'])('%s is rejected', async (query) => {
  const { status, body } = await api.call<Problem>('GET', `/v1/statistics${query}`);
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, 'query/hours']);
});
