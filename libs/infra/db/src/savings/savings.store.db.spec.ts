import { randomUUID } from 'node:crypto';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { addFinishedRun, addTraceOwner } from '../learning/trace.fixture.ts';
import { RepeatedGoalStore } from './repeated-goal.store.ts';
import { SavingsStore } from './savings.store.ts';
import { RunMeasurementStore } from './run-measurement.store.ts';

let database: TestDatabase;
let pool: Pool;
let owner: { project: string; fleet: string };

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
});

beforeEach(async () => {
  owner = await addTraceOwner(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const day = (date: string) => new Date(`${date}T12:00:00Z`);

const addSaving = async (row: {
  date: string;
  mechanism: string;
  workflow?: string;
  tokens?: number;
  usd?: number | null;
}) => {
  await pool.query(
    `INSERT INTO run_saving (run_id, mechanism, project_id, workflow_name, count, tokens, usd, seconds, at) VALUES ($1, $2, $3, $4, 2, $5, $6, 1.5, $7)`,
    [
      ...[await addFinishedRun(pool, owner), row.mechanism, owner.project, row.workflow ?? 'shop', row.tokens ?? 100],
      ...[row.usd === undefined ? 0.25 : row.usd, day(row.date)],
    ],
  );
};

const read = (start = '2026-01-01', end = '2026-02-01') =>
  new SavingsStore(pool).read(owner.project, day(start), day(end));

describe('savings', () => {
  test('of a project without runs are zero', async () => {
    const { total, mechanisms, workflows, days } = await read();
    expect(total).toEqual({ runs: 0, tokens: 0, usd: 0, unpricedRuns: 0, seconds: 0 });
    expect(mechanisms.map(({ mechanism, usd }) => [mechanism, usd])).toEqual([
      ['action_cache', 0],
      ['compile', 0],
      ['heal', 0],
    ]);
    expect([workflows, days]).toEqual([[], []]);
  });

  test('are summed by mechanism, workflow and day in UTC', async () => {
    await addSaving({ date: '2026-01-02', mechanism: 'compile', tokens: 900 });
    await addSaving({ date: '2026-01-02', mechanism: 'compile', tokens: 100 });
    await addSaving({ date: '2026-01-03', mechanism: 'heal', workflow: 'mail', tokens: -50 });
    await addSaving({ date: '2026-02-01', mechanism: 'heal' });
    const { total, mechanisms, workflows, days } = await read();
    expect(total).toEqual({ runs: 3, tokens: 950, usd: 0.75, unpricedRuns: 0, seconds: 4.5 });
    expect(mechanisms).toMatchObject([{ count: 0 }, { count: 4, tokens: 1000 }, { count: 2, tokens: -50 }]);
    expect(workflows.map(({ workflow, tokens }) => [workflow, tokens])).toEqual([
      ['shop', 1000],
      ['mail', -50],
    ]);
    expect(days.map(({ day, mechanism, runs }) => [day, mechanism, runs])).toEqual([
      ['2026-01-02', 'compile', 2],
      ['2026-01-03', 'heal', 1],
    ]);
  });

  test('are deleted with their run', async () => {
    await addSaving({ date: '2026-01-02', mechanism: 'compile' });
    await addSaving({ date: '2026-01-02', mechanism: 'heal', tokens: 7 });
    await pool.query(
      `DELETE FROM run WHERE id = (SELECT run_id FROM run_saving WHERE mechanism = 'compile' AND project_id = $1)`,
      [owner.project],
    );
    expect((await read()).total).toMatchObject({ runs: 1, tokens: 7 });
  });

  test('of runs without a known price have no price, and are counted', async () => {
    await addSaving({ date: '2026-01-02', mechanism: 'compile', usd: null });
    await addSaving({ date: '2026-01-02', mechanism: 'action_cache', usd: 0.5 });
    const { total, mechanisms } = await read();
    expect(total).toMatchObject({ usd: 0.5, unpricedRuns: 1 });
    expect(mechanisms.map(({ usd }) => usd)).toEqual([0.5, null, 0]);
  });
});

describe('repeated goals', () => {
  const intent = 'a'.repeat(64);
  const addGoalRun = async (
    row: { intent?: string; tokens?: number; usd?: number | null; actions?: number; date?: string } = {},
  ) => {
    const run = await addFinishedRun(pool, owner);
    await pool.query(
      `INSERT INTO goal_run (run_id, project_id, intent_id, surface, site, goal, workflow_name, tokens, usd, seconds, action_count, at)
       VALUES ($1, $2, $3, 'browser', 'shop.test', $4, 'shop', $5, $6, 30, $7, $8)`,
      [
        ...[run, owner.project, row.intent ?? intent, `Pay ${row.actions ?? 4}`, row.tokens ?? 1000],
        ...[row.usd === undefined ? 0.5 : row.usd, row.actions ?? 4, day(row.date ?? '2026-01-20')],
      ],
    );
    return run;
  };
  const goals = () => new RepeatedGoalStore(pool);
  const list = (filter = {}) =>
    goals().list(owner.project, { start: day('2026-01-10'), days: 15, minRuns: 3, dismissed: false, ...filter });

  test('have means, an estimate, and the run with the fewest actions', async () => {
    await addGoalRun({ usd: null });
    const best = await addGoalRun({ actions: 2, tokens: 1600 });
    await addGoalRun({ actions: 5, date: '2026-01-22' });
    expect(await list()).toMatchObject([
      {
        id: intent,
        goal: 'Pay 2',
        site: 'shop.test',
        count: 3,
        lastRunAt: '2026-01-22T12:00:00.000Z',
        perRun: { tokens: 1200, usd: 0.5, seconds: 30 },
        perMonth: { runs: 6, tokens: 7200, usd: 3 },
        best: { run: best, workflow: 'shop', actions: 2 },
        dismissedAt: null,
      },
    ]);
  });

  test('with unknown prices have no price', async () => {
    for (let run = 0; run < 3; run += 1) await addGoalRun({ usd: null });
    expect(await list()).toMatchObject([{ perRun: { usd: null }, perMonth: { usd: null } }]);
  });

  test('are neither rare, nor old, nor free of model calls', async () => {
    await addGoalRun();
    await addGoalRun();
    await addGoalRun({ date: '2026-01-01' });
    for (let run = 0; run < 3; run += 1) await addGoalRun({ intent: 'b'.repeat(64), tokens: 0 });
    expect(await list()).toEqual([]);
    expect(await list({ minRuns: 2 })).toHaveLength(1);
  });

  test('are dismissed and restored', async () => {
    for (let run = 0; run < 3; run += 1) await addGoalRun();
    expect(await goals().dismiss(owner.project, intent, null)).toBe(true);
    expect(await goals().dismiss(owner.project, intent, null)).toBe(true);
    expect(await list()).toEqual([]);
    expect(await list({ dismissed: true })).toMatchObject([{ id: intent, dismissedAt: expect.any(String) }]);
    expect(await goals().restore(owner.project, intent)).toBe(true);
    expect(await goals().restore(owner.project, intent)).toBe(false);
    expect(await goals().dismiss(owner.project, 'c'.repeat(64), null)).toBe(false);
    expect(await list()).toHaveLength(1);
  });

  test('are not offered while they have a compiled workflow, whose baseline is the mean of the runs with a model', async () => {
    const run = await addGoalRun();
    await addGoalRun({ tokens: 2000, usd: null });
    await addGoalRun({ tokens: 0, usd: 0 });
    const workflow = randomUUID();
    await pool.query(
      `INSERT INTO workflow (id, project_id, name, surface, latest_version) VALUES ($1, $2, 'pay', 'browser', 1)`,
      [workflow, owner.project],
    );
    await goals().recordCompilation(run, workflow, 1);
    await goals().recordCompilation(run, workflow, 1);
    expect(await list()).toEqual([]);
    const { rows } = await pool.query(
      'SELECT tokens, usd, seconds, run_count FROM compilation WHERE workflow_id = $1',
      [workflow],
    );
    expect(rows).toEqual([{ tokens: 1500, usd: 0.5, seconds: 30, run_count: 2 }]);
    await pool.query('UPDATE workflow SET archived_at = now() WHERE id = $1', [workflow]);
    expect(await list()).toHaveLength(1);
  });
});

describe('measurement', () => {
  const saving = { mechanism: 'heal' as const, count: 1, tokens: 7, usd: null, seconds: 2 };
  const measure = () => ({ savings: [saving], goal: null });
  const goal = { intent: 'pay', site: 'shop.test', goal: 'Pay', actionCount: 2 };
  const storedSavings = async () =>
    (
      await pool.query('SELECT run_id AS run, tokens::int, usd FROM run_saving WHERE project_id = $1 ORDER BY run_id', [
        owner.project,
      ])
    ).rows;

  const measurements = () => new RunMeasurementStore(pool);

  test('stores the savings of a run once', async () => {
    const run = await addFinishedRun(pool, owner);
    const results = await Promise.all([measurements().measure(measure, run), measurements().measure(measure, run)]);
    expect(results.flat()).toEqual([saving]);
    expect(await measurements().measure(measure, run)).toEqual([]);
    expect(await storedSavings()).toEqual([{ run, tokens: 7, usd: null }]);
  });

  test('of a failed or a deleted run stores nothing', async () => {
    const failed = await addFinishedRun(pool, owner, { status: 'failed' });
    for (const run of [failed, randomUUID()]) expect(await measurements().measure(measure, run)).toEqual([]);
    expect(await storedSavings()).toEqual([]);
  });

  test('that fails stores nothing', async () => {
    const run = await addFinishedRun(pool, owner);
    // PostgreSQL rejects the character.
    const rejected = { savings: [saving], goal: { ...goal, site: 'shop\0' } };
    await expect(measurements().measure(() => rejected, run)).rejects.toThrow('0x00');
    expect(await storedSavings()).toEqual([]);
  });
});
