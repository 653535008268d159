import { randomUUID } from 'node:crypto';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { RunInserter, type NewRun } from './run-inserter.ts';

describe('submissions under overload of the database', () => {
  let database: TestDatabase;
  let pool: Pool;
  const [project, fleet] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, max: 1, name: 'spec', log: memoryLog() });
    await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
    await pool.query(
      `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects) VALUES ($1, 'browser', 'browser', 2, 0, 3, 1, 60, '{}')`,
      [fleet],
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const newRun = (): NewRun => ({
    ...{
      id: randomUUID(),
      project,
      fleet,
      workflow: null,
      workflowName: 'x',
      goal: null,
      surface: 'browser',
      definition: {},
    },
    ...{ stepCount: 1, inputs: {}, secretNames: [], secrets: null, priority: 0, budget: {}, capture: {}, egress: null },
    ...{
      labels: {},
      model: null,
      origin: { kind: 'api', actor: null, idempotencyKey: null },
      parentRunId: null,
      expiresIn: null,
      firstIntent: null,
      idempotency: null,
    },
    event: createEvent('run.queued', 'Queued', { fleet: 'browser', priority: 0, retryOf: null }, new Date()),
  });

  it('are rejected beyond the limit, and accepted ones are stored', async () => {
    const intake = new RunInserter(pool, 10);
    const only = await pool.connect();
    const submitted = Array.from({ length: 2_000 }, () => intake.submit(newRun()));
    const rejected = intake.submit(newRun());
    await expect(rejected).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 2 } });
    only.release();
    await Promise.all(submitted);
    const { rows } = await pool.query('SELECT count(*)::int AS runs FROM run');
    expect(rows).toEqual([{ runs: 2_000 }]);
    await expect(intake.submit(newRun())).resolves.toMatchObject({ fleet });
  });

  it.each([
    ['a NUL in a label', { labels: { a: '\0' } }],
    ['a NUL in an input', { inputs: { a: '\0' } }],
    ['half a surrogate pair', { definition: { name: '\ud83d' } }],
  ])('fail alone when PostgreSQL rejects their data: %s', async (_, fields) => {
    const intake = new RunInserter(pool, 10_000);
    const runs = [newRun(), newRun(), { ...newRun(), ...fields }, newRun(), newRun()];
    const results = await Promise.allSettled(runs.map((run) => intake.submit(run)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(results[2]).toMatchObject({ reason: { code: expect.stringMatching(/^22/) } });
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM run WHERE id = ANY ($1) AND EXISTS (SELECT FROM run_event WHERE run_id = run.id)',
      [runs.map(({ id }) => id)],
    );
    const storedIds = new Set(rows.map(({ id }) => id));
    expect(runs.map(({ id }) => storedIds.has(id))).toEqual([true, true, false, true, true]);
  });
});
