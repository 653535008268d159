import { randomUUID } from 'node:crypto';
import { makeEvent } from '@pilothouse/contract';
import { createDatabase, memoryLog, type TestDatabase } from '@pilothouse/testing';
import { createPool, type Pool } from '../pool.ts';
import { agentEventsOf } from './events.ts';
import { RunWriter } from './writer.ts';

describe('what agents did', () => {
  let database: TestDatabase;
  let pool: Pool;
  const run = randomUUID();

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    const [project, fleet] = [randomUUID(), randomUUID()];
    await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
    await pool.query(
      `INSERT INTO fleet (id, name, surface, slots, min, max, idle, cooldown_seconds, projects) VALUES ($1, 'browser', 'browser', 2, 0, 3, 1, 60, '{}')`,
      [fleet],
    );
    await pool.query(
      `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, record, labels, status)
       VALUES ($1, $2, $3, 'x', 'browser', '{}', 1, '{}', '{}', '{}', '{}', 'running')`,
      [run, project, fleet],
    );
    await pool.query(`INSERT INTO run_step (run_id, step, epoch, status, telling) VALUES ($1, 1, 1, 'acting', false)`, [
      run,
    ]);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const noted = (step: number, turn: number, note: string) =>
    makeEvent('agent.noted', 'Noted', { step, id: null, turn, what: 'problem', note }, new Date());

  it('is told of the step at work, the newest where it is too much for one message', async () => {
    const events = [noted(0, 1, 'of another step')];
    for (let turn = 1; turn <= 100; turn += 1) events.push(noted(1, turn, 'x'.repeat(8_000)));
    await new RunWriter({ pool }).write({ run, guard: { from: ['running'] }, events });
    const told = await agentEventsOf(pool, run);
    expect(JSON.stringify(told).length).toBeLessThan(520_000);
    const turns = told.map(({ data }) => data.turn);
    expect(turns.length).toBeGreaterThan(50);
    expect(turns).toEqual(Array.from({ length: turns.length }, (_, index) => 101 - turns.length + index));
    expect(new Set(told.map(({ data }) => data.step))).toEqual(new Set([1]));
  });
});
