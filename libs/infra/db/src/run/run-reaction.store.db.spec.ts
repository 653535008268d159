import { randomUUID } from 'node:crypto';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { runReactionSchema } from '@pilothouse/contract/run/run-reaction.schema';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { reactionsOf, type EndedRunFact } from '@pilothouse/core/run/run-reactions';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { announceArtifact } from '../file/artifact.store.ts';
import { addFinishedRun, addTraceOwner } from '../learning/trace.fixture.ts';
import { RunReactionStore } from './run-reaction.store.ts';
import { RunWriter } from './run-writer.ts';

const reactions = runReactionSchema.options;

let database: TestDatabase;
let pool: Pool;
let store: RunReactionStore;
let writer: RunWriter;
let owner: { project: string; fleet: string };

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  store = new RunReactionStore(pool);
  writer = new RunWriter({ pool });
  owner = await addTraceOwner(pool);
});

beforeEach(() => pool.query('DELETE FROM run_reaction'));

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const stored = async (run: string) => {
  const { rows } = await pool.query<{ reaction: string }>('SELECT reaction FROM run_reaction WHERE run_id = $1', [run]);
  return rows.map(({ reaction }) => reaction).toSorted();
};

/** Makes a fact of an active run true. */
const establish: Record<EndedRunFact, (run: string) => Promise<unknown>> = {
  hasHealedStep: (run) =>
    writer.write({
      run,
      guard: { from: ['running'] },
      events: [createEvent('step.healed', 'Healed', {} as never, new Date(), 'warn')],
    }),
  isReplay: (run) => pool.query(`UPDATE run SET origin = '{"kind":"replay"}' WHERE id = $1`, [run]),
  hasModelCall: (run) =>
    writer.write({ run, guard: { from: ['running'] }, modelUsage: { calls: 1, tokens: 10, usd: 0.1 } }),
  hasGoal: (run) =>
    pool.query(`UPDATE run SET definition = '{"steps":[{"action":"goal","goal":"x"}]}' WHERE id = $1`, [run]),
  async hasCompiledWorkflow(run) {
    const workflow = randomUUID();
    await pool.query(
      `INSERT INTO workflow (id, project_id, name, surface, latest_version) VALUES ($1::uuid, $2, $1::text, 'browser', 1)`,
      [workflow, owner.project],
    );
    await pool.query(
      `INSERT INTO compilation (workflow_id, version, intent_id, tokens, seconds, run_count) VALUES ($1, 1, 'x', 1, 1, 1)`,
      [workflow],
    );
    await pool.query('UPDATE run SET workflow_id = $2 WHERE id = $1', [run, workflow]);
  },
  hasRecordedTurn: (run) =>
    announceArtifact(pool, {
      ...{ id: randomUUID(), run, epoch: 0, step: 0, kind: 'turn', name: 'turn-0-1.json' },
      ...{ contentType: 'application/json', size: 2, key: randomUUID() },
    }),
  async usesRegisteredModel(run) {
    const model = randomUUID();
    await pool.query(
      `INSERT INTO registry_model (id, project_id, name, model, metrics) VALUES ($1::uuid, $2, $1::text, 'a/b', '{}')`,
      [model, owner.project],
    );
    await pool.query(`INSERT INTO registry_run (model_id, run_id, arm) VALUES ($1, $2, 'candidate')`, [model, run]);
  },
};
const facts = Object.keys(establish) as EndedRunFact[];

const end = (run: string, status: RunStatus) => writer.write({ run, guard: { from: ['running'] }, to: status });

describe('the statement that ends a run stores its reactions', () => {
  test.each(
    (['completed', 'failed', 'cancelled'] as const).flatMap((status) =>
      [[], ...facts.map((fact) => [fact]), facts].map((trueFacts) => [status, trueFacts] as const),
    ),
  )('%s with %j', async (status, trueFacts) => {
    const run = await addFinishedRun(pool, owner, { status: 'running' });
    for (const fact of trueFacts) await establish[fact](run);
    expect(await stored(run)).toEqual([]);
    await end(run, status);
    expect(await stored(run)).toEqual(reactionsOf(status, new Set(trueFacts)).toSorted());
  });

  test('by facts of the same write', async () => {
    const run = await addFinishedRun(pool, owner, { status: 'running' });
    await writer.write({
      ...{ run, guard: { from: ['running'] }, to: 'completed', modelUsage: { calls: 1, tokens: 10, usd: 0.1 } },
      events: [createEvent('step.healed', 'Healed', {} as never, new Date(), 'warn')],
    });
    expect(await stored(run)).toEqual(['measure_savings', 'propose_repair']);
  });

  test('by the row that it locked, although another write was not committed when it started', async () => {
    const run = await addFinishedRun(pool, owner, { status: 'running' });
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('UPDATE run SET used_calls = 1 WHERE id = $1', [run]);
    const ended = end(run, 'completed');
    await until('it waits for the lock', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    await client.query('COMMIT');
    client.release();
    await ended;
    expect(await stored(run)).toEqual(['measure_savings']);
  });

  test('once: a run that has ended stores none', async () => {
    const run = await addFinishedRun(pool, owner, { status: 'running' });
    await establish.hasModelCall(run);
    await end(run, 'completed');
    await pool.query('DELETE FROM run_reaction');
    expect(await end(run, 'completed')).toBeNull();
    expect(await stored(run)).toEqual([]);
  });

  test('with the end or not at all', async () => {
    const run = await addFinishedRun(pool, owner, { status: 'running' });
    await establish.hasModelCall(run);
    await pool.query('ALTER TABLE run_reaction ADD CONSTRAINT refused CHECK (false) NOT VALID');
    await expect(end(run, 'completed')).rejects.toThrow('refused');
    await pool.query('ALTER TABLE run_reaction DROP CONSTRAINT refused');
    const { rows } = await pool.query('SELECT status FROM run WHERE id = $1', [run]);
    expect(rows).toEqual([{ status: 'running' }]);
  });
});

describe('claims', () => {
  const add = async (count: number) => {
    await pool.query(
      `INSERT INTO run_reaction (run_id, reaction, due_at)
       SELECT gen_random_uuid(), 'request_score', now() - interval '1 ms' FROM generate_series(1, $1::int)`,
      [count],
    );
  };
  const claim = (limit = 100, leaseMs = 60_000) => store.claim(reactions, { limit, leaseMs });
  const count = async () => (await pool.query('SELECT FROM run_reaction')).rowCount;

  test('of several executors at once return each reaction to one of them', async () => {
    await add(200);
    const claimed = (await Promise.all(Array.from({ length: 10 }, () => claim(30)))).flat();
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed.map(({ run }) => run)).size).toBe(200);
    expect(await claim()).toEqual([]);
  });

  test('return only the requested kinds', async () => {
    await add(1);
    expect(await store.claim(['propose_repair'], { limit: 10, leaseMs: 1 })).toEqual([]);
  });

  test('are repeated after the lease of an executor that stopped, which then changes nothing', async () => {
    await add(1);
    const [lost] = await claim();
    expect(await claim()).toEqual([]);
    await pool.query(`UPDATE run_reaction SET due_at = due_at - interval '60 s'`);
    const [repeated] = await claim();
    expect([lost?.attempts, repeated]).toEqual([1, { ...lost, attempts: 2 }]);
    await store.end(lost!);
    await store.postpone([lost!], 0);
    expect([await count(), await claim()]).toEqual([1, []]);
    await store.end(repeated!);
    expect(await count()).toBe(0);
  });

  test('follow after the delay of a failed attempt', async () => {
    await add(2);
    const [failed, given] = await claim();
    await store.postpone([failed!], 3_600_000);
    // The column rounds to milliseconds, so that the present may be stored as later.
    await store.postpone([given!], -1);
    expect(await claim()).toEqual([{ ...given, attempts: 2 }]);
    await pool.query(`UPDATE run_reaction SET due_at = due_at - interval '59 min' WHERE run_id = $1`, [failed?.run]);
    expect(await claim()).toEqual([]);
    await pool.query(`UPDATE run_reaction SET due_at = due_at - interval '61 s' WHERE run_id = $1`, [failed?.run]);
    expect(await claim()).toEqual([{ ...failed, attempts: 2 }]);
  });
});
