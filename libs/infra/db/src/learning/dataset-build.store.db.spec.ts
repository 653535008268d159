import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { DatasetBuildStore, type SelectedStep, type StepCursor } from './dataset-build.store.ts';
import { addTrace, addTraceOwner, aScoredStep } from './trace.fixture.ts';
import { saveTraceScore } from './trace-score.store.ts';

let database: TestDatabase;
let pool: Pool;
let store: DatasetBuildStore;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  store = new DatasetBuildStore(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Adds a trace with steps of these qualities, created so many seconds after the first. */
async function aTrace(
  owner: { project: string; fleet: string },
  seconds: number,
  qualities: readonly ('good' | 'bad')[],
): Promise<string> {
  const run = await addTrace(pool, owner);
  const steps = qualities.map((quality, index) => aScoredStep({ ordinal: index + 1, quality }));
  await saveTraceScore(pool, { run, version: '1.1', steps, goal: '', model: null, sites: [], note: null });
  await pool.query(
    `UPDATE trace SET created_at = '2026-11-01T00:00:00.000123Z'::timestamptz + $2::int * interval '1 second' WHERE run_id = $1`,
    [run, seconds],
  );
  return run;
}

const positions = (steps: readonly SelectedStep[]) => steps.map(({ run, ordinal }) => `${run} ${ordinal}`);

test.each([1, 2, 3, 100])('steps of two projects are selected once and in order, in pages of %i', async (limit) => {
  const [own, shared, foreign] = [await addTraceOwner(pool), await addTraceOwner(pool), await addTraceOwner(pool)];
  await pool.query(`UPDATE project SET learning = '{"shareTraces": true}' WHERE id = $1`, [shared.project]);
  const slugs = await pool.query<{ slug: string }>('SELECT slug FROM project WHERE id = ANY ($1)', [
    [shared.project, foreign.project],
  ]);
  const third = await aTrace(own, 3, ['good', 'bad', 'good']);
  const first = await aTrace(shared, 1, ['bad', 'good']);
  await aTrace(shared, 2, ['bad']);
  await aTrace(foreign, 2, ['good']);
  const sameTime = [await aTrace(own, 4, ['good']), await aTrace(shared, 4, ['good'])].sort();
  const query = { qualities: ['good' as const], projects: slugs.rows.map(({ slug }) => slug) };

  const found: string[] = [];
  let cursor: StepCursor | null = null;
  for (;;) {
    const page: SelectedStep[] = await store.steps({ project: own.project, query }, cursor, limit);
    found.push(...positions(page));
    cursor = page.at(-1)?.cursor ?? null;
    if (page.length < limit) break;
  }

  expect(found).toEqual([`${first} 2`, `${third} 1`, `${third} 3`, ...sameTime.map((run) => `${run} 1`)]);
});
