import { createEvent, type EventData } from '@pilothouse/contract/events/event-log.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { readTierUsage } from './run-reader.ts';
import { addRun } from './run.fixture.ts';
import { RunWriter } from './run-writer.ts';

describe('usage by tier', () => {
  let database: TestDatabase;
  let pool: Pool;
  let run: string;

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    run = await addRun(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const modelCalled = (data: Partial<EventData<'model.called'>>) =>
    createEvent(
      'model.called',
      'Called',
      {
        step: 1,
        role: 'act',
        provider: 'openai',
        model: 'x',
        prompt: { name: 'spec', version: 1 },
        durationMs: 500,
        inputTokens: 100,
        outputTokens: 20,
        cachedTokens: 0,
        usd: 0.5,
        finish: 'stop',
        ...data,
      },
      new Date(),
    );

  it('is derived from steps and model calls, including calls before the first escalation', async () => {
    expect(await readTierUsage(pool, run)).toEqual([]);
    const [startedAt, first, second] = ['2026-05-01T00:00:00Z', '2026-05-01T00:00:01Z', '2026-05-01T00:00:05Z'];
    for (const [step, tier, start, end] of [
      [0, 0, startedAt, first],
      [1, 2, first, second],
      [2, null, second, null],
      [3, 0, null, null],
    ])
      await pool.query(
        `INSERT INTO run_step (run_id, step, epoch, status, tier, postcondition_was_false, started_at, finished_at)
         VALUES ($1, $2, 1, 'completed', $3, false, $4, $5)`,
        [run, step, tier, start, end],
      );
    const events = [
      modelCalled({ tier: 'text' }),
      modelCalled({ tier: 'text', usd: null, durationMs: 1_500 }),
      modelCalled({ tier: 'vision', role: 'verify' }),
      modelCalled({ role: 'plan' }),
    ];
    await new RunWriter({ pool }).write({ run, guard: { from: ['running'] }, events });
    const none = { steps: 0, seconds: 0, calls: 0, tokens: 0, usd: 0, modelSeconds: 0 };
    const usage = { calls: 1, tokens: 120, usd: 0.5, modelSeconds: 0.5 };
    expect(await readTierUsage(pool, run)).toEqual([
      { ...none, tier: 'replay', steps: 2, seconds: 1 },
      { ...none, tier: 'text', calls: 2, tokens: 240, usd: 0.5, modelSeconds: 2 },
      { ...usage, tier: 'vision', steps: 1, seconds: 4 },
      { ...none, ...usage, tier: 'replan' },
    ]);
  });
});
