import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunReaction } from '@pilothouse/contract/run/run-reaction.schema';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import { createPool, RunReactionStore, type Pool } from '@pilothouse/infra-db';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { ReactionExecutor } from './reaction-executor.ts';
import type { ReactionAttempt } from './reaction-handlers.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
});
const started: ReactionExecutor[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((executor) => executor.stop()));
  await pool.query('DELETE FROM run_reaction');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Execute = (attempt: ReactionAttempt) => Promise<void>;

/** A started executor on manual timers. */
function anExecutor(handlers: Partial<Record<RunReaction, Execute>>) {
  const timers = new ManualTimers();
  const log = memoryLog();
  const handlerOf = (reaction: RunReaction) => ({ execute: handlers[reaction] ?? (() => Promise.resolve()) });
  const executor = new ReactionExecutor(
    new RunReactionStore(pool),
    {
      propose_repair: handlerOf('propose_repair'),
      record_verification: handlerOf('record_verification'),
      measure_savings: handlerOf('measure_savings'),
      request_score: handlerOf('request_score'),
      check_rollback: handlerOf('check_rollback'),
      cancel_children: handlerOf('cancel_children'),
    },
    createMetrics({ prefix: 'p' }),
    log,
    new TaskScheduler({ log, timers, random: () => 0.5 }),
  );
  executor.onModuleInit();
  started.push(executor);
  return {
    executor,
    log,
    /** Runs the next check, which is scheduled when the previous one has settled. */
    async check() {
      await until('the next check is scheduled', () => timers.delays.some((ms) => ms <= 1_000));
      await timers.advance(1_000);
    },
  };
}

const add = async (...reactions: RunReaction[]) => {
  const { rows } = await pool.query<{ run: string }>(
    `INSERT INTO run_reaction (run_id, reaction) SELECT gen_random_uuid(), unnest($1::text[]) RETURNING run_id AS run`,
    [reactions],
  );
  return rows.map(({ run }) => run);
};

const pending = async () => {
  const { rows } = await pool.query<{ run: string; attempts: number; dueSeconds: number }>(
    `SELECT run_id AS run, attempts, round(extract(epoch FROM due_at - now()))::int AS "dueSeconds" FROM run_reaction`,
  );
  return rows;
};

const untilPending = (matches: (rows: Awaited<ReturnType<typeof pending>>) => boolean) =>
  until('the reactions change', async () => matches(await pending()));

const untilDone = () => untilPending((rows) => rows.length === 0);

/** Ends the delay or the lease of all reactions. */
const makeDue = () => pool.query('UPDATE run_reaction SET due_at = now()');

test('two executors execute each reaction once', async () => {
  await add(...Array.from({ length: 150 }, () => 'request_score' as const));
  const runs: string[] = [];
  const execute: Execute = async ({ run }) => void runs.push(run);
  const executors = [anExecutor({ request_score: execute }), anExecutor({ request_score: execute })];
  await Promise.all(executors.map(({ check }) => check()));
  await untilPending((rows) => rows.length <= 50);
  await until('all are executed', async () => {
    await Promise.all(executors.map(({ check }) => check()));
    return (await pending()).length === 0;
  });
  expect(runs).toHaveLength(150);
  expect(new Set(runs).size).toBe(150);
});

test('a failed reaction is tried again after growing delays, and holds up no other', async () => {
  const [run] = await add('request_score', 'request_score', 'measure_savings');
  const attempts: ReactionAttempt[] = [];
  const { check, log } = anExecutor({
    request_score(attempt) {
      attempts.push(attempt);
      return attempt.run === run ? Promise.reject(new PilothouseError('UNAVAILABLE', 'Later')) : Promise.resolve();
    },
  });
  for (const [index, delay] of [1, 2, 4].entries()) {
    await until('the next attempt is delayed', async () => {
      await check();
      const [row, ...rest] = await pending();
      const isDelayed = row !== undefined && row.attempts === index + 1 && row.dueSeconds <= delay;
      return isDelayed && row.run === run && rest.length === 0;
    });
    await makeDue();
  }
  expect(attempts.filter((attempt) => attempt.run === run)).toEqual(Array(3).fill({ run, isLastAttempt: false }));
  expect(attempts).toHaveLength(4);
  expect(log.lines.map(({ facts }) => (facts as { retryMs?: number }).retryMs)).toEqual([1_000, 2_000, 4_000]);
});

test('a slow reaction delays no reaction of another kind', async () => {
  const slow = Promise.withResolvers<undefined>();
  await add('propose_repair');
  const { check } = anExecutor({ propose_repair: () => slow.promise });
  await check();
  await untilPending(([row]) => row?.attempts === 1);
  await add('measure_savings');
  await check();
  await untilPending((rows) => rows.length === 1);
  slow.resolve(undefined);
  await untilDone();
});

test.each([
  ['an error that does not pass', 1, new PilothouseError('NOT_FOUND', 'Gone')],
  ['the last attempt', 180, new PilothouseError('UNAVAILABLE', 'Later')],
])('after %s, the reaction is abandoned', async (_, attempts, error) => {
  const [run] = await add('request_score');
  await pool.query('UPDATE run_reaction SET attempts = $1', [attempts - 1]);
  const { check, log } = anExecutor({ request_score: () => Promise.reject(error) });
  await check();
  await untilDone();
  expect(log.lines).toEqual([
    {
      level: 'error',
      message: 'reaction abandoned',
      facts: { run, reaction: 'request_score', attempts, error: String(error) },
    },
  ]);
});

test('a reaction whose process ended in the middle is executed again after its lease', async () => {
  const [run] = await add('request_score');
  // The process claimed it, and ended. A clock that steps back delays the claim.
  const store = new RunReactionStore(pool);
  await until('the reaction is claimed', async () => {
    const claimed = await store.claim(['request_score'], { limit: 1, leaseMs: 60_000 });
    return claimed.length === 1;
  });
  const runs: string[] = [];
  const { check } = anExecutor({ request_score: async (attempt) => void runs.push(attempt.run) });
  await check();
  expect([runs, (await pending()).length]).toEqual([[], 1]);
  await makeDue();
  await check();
  await untilDone();
  expect(runs).toEqual([run]);
});

test('the lease of a long attempt is renewed', async () => {
  const slow = Promise.withResolvers<undefined>();
  await add('request_score');
  const { check } = anExecutor({ request_score: () => slow.promise });
  await check();
  await untilPending(([row]) => row?.attempts === 1);
  await pool.query(`UPDATE run_reaction SET due_at = now() + interval '1 s'`);
  await check();
  await untilPending(([row]) => (row?.dueSeconds ?? 0) > 15);
  slow.resolve(undefined);
  await untilDone();
});

test('a stop waits for the current attempt, and gives back the others', async () => {
  const slow = Promise.withResolvers<undefined>();
  await add('request_score', 'request_score', 'request_score');
  const runs: string[] = [];
  const { check, executor } = anExecutor({
    request_score({ run }) {
      runs.push(run);
      return slow.promise;
    },
  });
  await check();
  await until('an attempt runs', () => runs.length === 1);
  const stopped = executor.stop();
  slow.resolve(undefined);
  await stopped;
  const rows = await pending();
  expect([runs.length, rows.length]).toEqual([1, 2]);
  for (const { dueSeconds } of rows) expect(dueSeconds).toBeLessThanOrEqual(0);
});
