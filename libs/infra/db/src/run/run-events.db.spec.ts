import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { readAgentEvents } from './run-events.ts';
import { addRun } from './run.fixture.ts';
import { RunWriter } from './run-writer.ts';

describe('agent events', () => {
  let database: TestDatabase;
  let pool: Pool;
  let run: string;

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    run = await addRun(pool);
    await pool.query(
      `INSERT INTO run_step (run_id, step, epoch, status, postcondition_was_false) VALUES ($1, 1, 1, 'running', false)`,
      [run],
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const noted = (step: number, turn: number, note: string) =>
    createEvent('agent.note', 'Noted', { step, id: null, turn, kind: 'problem', note }, new Date());

  it('are those of the current step; the newest if they exceed the limit of a message', async () => {
    const events = [noted(0, 1, 'of another step')];
    for (let turn = 1; turn <= 100; turn += 1) events.push(noted(1, turn, 'x'.repeat(8_000)));
    await new RunWriter({ pool }).write({ run, guard: { from: ['running'] }, events });
    const agentEvents = await readAgentEvents(pool, run);
    expect(JSON.stringify(agentEvents).length).toBeLessThan(520_000);
    const turns = agentEvents.map(({ data }) => data.turn);
    expect(turns.length).toBeGreaterThan(50);
    expect(turns).toEqual(Array.from({ length: turns.length }, (_, index) => 101 - turns.length + index));
    expect(new Set(agentEvents.map(({ data }) => data.step))).toEqual(new Set([1]));
  });
});
