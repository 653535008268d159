import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import { extendClaim } from '@pilothouse/infra-db';
import { JobQueue } from '@pilothouse/infra-queue';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { until } from '@pilothouse/testing/test-helpers';
import { LEASE_MS, useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { LocalSlots } from '../../dispatch/local-slots.ts';
import { RunDispatcher } from '../../dispatch/run-dispatcher.ts';
import { MAX_FAILED_ATTEMPTS } from '../requeue.ts';
import { Sweeper, type SweeperDeps } from './sweeper.ts';

const harness = useGatewayHarness();

/** The sweeper of another replica, which runs only on request. */
function replica(overrides: Partial<SweeperDeps> = {}): Sweeper {
  const { pool, log, lifecycle } = harness;
  const { writer, dispatcher } = lifecycle;
  const sweeper = new Sweeper({
    pool,
    writer,
    dispatcher,
    clock: systemClock,
    log,
    scheduler: new TaskScheduler({ log }),
    leaseMs: LEASE_MS,
    everyMs: 500,
    acceptMs: 2_000,
    silentMs: 60_000,
    maxLost: MAX_FAILED_ATTEMPTS,
    releaseIdleControl: async () => undefined,
    ...overrides,
  });
  replicas.push(sweeper);
  return sweeper;
}
const replicas: Sweeper[] = [];
afterEach(() => Promise.all(replicas.splice(0).map((sweeper) => sweeper.stop())));

/** A run that exceeded its queue timeout. */
async function expired(): Promise<string> {
  const run = await harness.submit({ expiresIn: 3_600 });
  await harness.pool.query(`UPDATE run SET queue_expires_at = now() - interval '1 second' WHERE id = $1`, [run]);
  return run;
}
/** Locks of leading sweepers. */
const LEADERS = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database()`;

/** Stops the default sweeper, and waits until its lock is free: its connection ends a moment later. */
async function untilNoSweeper(): Promise<void> {
  await harness.lifecycle.sweeper.stop();
  await until('no sweeper leads', async () => {
    const { rowCount } = await harness.pool.query(LEADERS);
    return rowCount === 0;
  });
}
const codeOf = async (run: string) => (await harness.statusOf(run))?.error?.code;

it('sweeps in one replica at a time, and in another one when the first loses its database', async () => {
  await untilNoSweeper();
  const [first, second] = [replica(), replica()];
  await first.sweep();
  const run = await expired();
  await second.sweep();
  expect(await harness.statusOf(run)).toMatchObject({ status: 'queued' });
  await first.sweep();
  expect(await codeOf(run)).toBe('RUN_EXPIRED');

  const next = await expired();
  await harness.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database
     WHERE locktype = 'advisory' AND datname = current_database()`,
  );
  await until('the second replica sweeps', async () => {
    await second.sweep();
    return (await codeOf(next)) === 'RUN_EXPIRED';
  });
  const last = await expired();
  await expect(first.sweep()).rejects.toThrow();
  expect(await harness.statusOf(last)).toMatchObject({ status: 'queued' });
});

it('takes over from a sweeper whose process is suspended', async () => {
  await untilNoSweeper();
  // The connection of a suspended process is silent.
  const [suspended, active] = [replica(), replica({ silentMs: 200 })];
  await suspended.sweep();
  const run = await expired();
  await until('the other one sweeps', async () => {
    await active.sweep();
    return (await codeOf(run)) === 'RUN_EXPIRED';
  });
  const next = await expired();
  await expect(suspended.sweep()).rejects.toThrow();
  expect(await harness.statusOf(next)).toMatchObject({ status: 'queued' });
});

/** A run whose worker has accepted it. @param lost number of workers that crashed with it before @returns its id */
async function accepted(lost = 0): Promise<string> {
  const w = harness.worker();
  await w.connect();
  const run = await harness.submit();
  await w.acceptAssignment(run);
  await harness.whenAccepted(run);
  await harness.pool.query('UPDATE run SET lost_attempts = $2 WHERE id = $1', [run, lost]);
  return run;
}

/** A run whose worker accepted it and then stopped renewing its lease. */
async function abandonedRun(): Promise<string> {
  const run = await accepted();
  await harness.expire(run);
  return run;
}

it('after a pause, waits one lease duration before it reclaims leases', async () => {
  await untilNoSweeper();
  const run = await abandonedRun();
  await harness.pool.query(`UPDATE heartbeat SET seen_at = now() - interval '1 hour' WHERE name = 'sweeper'`);
  const timers = new ManualTimers();
  const sweeper = replica({
    scheduler: new TaskScheduler({ log: harness.log, timers }),
    ...{ leaseMs: 3_600_000, everyMs: 60_000 },
  });
  await sweeper.sweep();
  await timers.advance(3_599_999);
  await sweeper.sweep();
  expect(await harness.typesOf(run)).not.toContain('3 run.requeued');
  await timers.advance(1);
  await sweeper.sweep();
  expect(await harness.typesOf(run)).toContain('3 run.requeued');
});

it('recovers other runs while the write of one always fails', async () => {
  await untilNoSweeper();
  const { pool, log } = harness;
  const [bad, good] = [await abandonedRun(), await abandonedRun()];
  const expiredRun = await expired();
  await pool.query(
    `CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the row is broken'; END $$`,
  );
  await pool.query(
    `CREATE TRIGGER refuse_row BEFORE UPDATE ON run FOR EACH ROW WHEN (OLD.id = '${bad}') EXECUTE FUNCTION refuse_row()`,
  );
  const tasks: string[] = [];
  try {
    const sweeper = replica({ leaseMs: 0, onTaskFailure: (task) => tasks.push(task) });
    await sweeper.sweep();
    expect(await harness.typesOf(good)).toContain('3 run.requeued');
    expect(await codeOf(expiredRun)).toBe('RUN_EXPIRED');
    expect(await harness.typesOf(bad)).not.toContain('3 run.requeued');
    // It still leads, and continues.
    const next = await expired();
    await sweeper.sweep();
    expect(await codeOf(next)).toBe('RUN_EXPIRED');
    expect(tasks).toEqual(['leases', 'leases']);
    const lines = log.lines.filter(
      ({ level, message }) => level === 'error' && message.startsWith('periodic task failed'),
    );
    expect(lines).toEqual([expect.objectContaining({ facts: expect.objectContaining({ task: 'leases', item: bad }) })]);
  } finally {
    await pool.query('DROP TRIGGER refuse_row ON run');
    await pool.query('DROP FUNCTION refuse_row');
  }
});

it('runs every other task when one fails', async () => {
  await untilNoSweeper();
  const { pool } = harness;
  const run = await accepted();
  await pool.query(
    `INSERT INTO control_session (run_id, epoch, operator_id, operator_name, expires_at)
     VALUES ($1, 1, gen_random_uuid(), 'Ada', now() - interval '1 minute')`,
    [run],
  );
  await pool.query(`UPDATE worker SET last_seen_at = now() - interval '1 hour'`);
  const tasks: string[] = [];
  const releaseIdleControl = () => Promise.reject(new Error('no control session'));
  await replica({ releaseIdleControl, onTaskFailure: (task) => tasks.push(task) }).sweep();
  expect(tasks).toEqual(['control_sessions']);
  const { rowCount } = await pool.query(`SELECT FROM worker WHERE state = 'disconnected'`);
  expect(rowCount).toBeGreaterThan(0);
  await pool.query('DELETE FROM control_session');
});

it('fails a run that crashed too many workers', async () => {
  const [twice, poison] = [await accepted(MAX_FAILED_ATTEMPTS - 2), await accepted(MAX_FAILED_ATTEMPTS - 1)];
  // Wait until the second run has its worker, which could otherwise get the first run.
  for (const run of [twice, poison]) await harness.expire(run);
  expect(await harness.whenStatus(poison, 'failed')).toMatchObject({ error: { code: 'POISON_RUN' } });
  await until('the other one goes back to the queue', async () =>
    (await harness.typesOf(twice)).includes('3 run.requeued'),
  );
});

it('does not reclaim a claim that was renewed after it was read', async () => {
  await untilNoSweeper();
  const { pool, lifecycle } = harness;
  const w = harness.worker();
  const { session } = await w.connect();
  const run = await harness.submit();
  const { assignment } = await w.waitFor('assign');
  const waits = () => pool.query(`UPDATE lease SET claimed_at = now() - interval '1 minute' WHERE run_id = $1`, [run]);
  await waits();
  let isProlonged = false;
  const sweeper = replica({
    leaseMs: 0,
    writer: {
      write: async (write) => {
        await extendClaim(pool, { run, epoch: assignment.epoch, session, leaseMs: LEASE_MS });
        isProlonged = true;
        return lifecycle.writer.write(write);
      },
    },
  });
  await sweeper.sweep();
  expect(isProlonged).toBe(true);
  expect(await harness.statusOf(run)).toMatchObject({ status: 'running', epoch: assignment.epoch });
  await sweeper.stop();
  await untilNoSweeper();
  await waits();
  await replica({ leaseMs: 0 }).sweep();
  expect(await harness.typesOf(run)).toContain('3 run.requeued');
});

it('lets a returned run continue after its queue timeout', async () => {
  await untilNoSweeper();
  const run = await abandonedRun();
  await harness.pool.query(`UPDATE run SET queue_expires_at = now() - interval '1 minute' WHERE id = $1`, [run]);
  // It stays in the queue.
  await harness.pool.query('UPDATE fleet SET paused_at = now()');
  const sweeper = replica({ leaseMs: 0 });
  await sweeper.sweep();
  expect(await harness.typesOf(run)).toContain('3 run.requeued');
  await sweeper.sweep();
  expect(await harness.statusOf(run)).toMatchObject({ status: 'queued' });
  await harness.pool.query('UPDATE fleet SET paused_at = NULL');
});

it('does not end a question that was asked after the expired one', async () => {
  const w = harness.worker();
  await w.connect();
  const run = await harness.submit();
  const { epoch } = await w.acceptAssignment(run);
  await harness.whenAccepted(run);
  await untilNoSweeper();
  const question = (step: number, expiry: string) =>
    harness.pool.query(
      `UPDATE run SET status = 'awaiting_user', question_asked_at = now(), question_expires_at = now() + $3::interval, question = $2 WHERE id = $1`,
      [run, JSON.stringify({ step, path: 'ask', id: 'ask', reason: 'Which?', choices: [] }), expiry],
    );
  await question(0, '-1 second');
  const { writer } = harness.lifecycle;
  const sweeper = replica({
    leaseMs: 0,
    writer: {
      write: async (write) => {
        if (write.run === run) await question(1, '1 hour');
        return writer.write(write);
      },
    },
  });
  await sweeper.sweep();
  expect(await harness.statusOf(run)).toMatchObject({ status: 'awaiting_user', epoch });
  await sweeper.stop();
  await untilNoSweeper();
  await question(1, '-1 second');
  const click = { action: 'click', target: { css: 'a' } };
  const definition = JSON.stringify({ name: 'spec', steps: [click, { ...click, id: 'ask' }] });
  await harness.pool.query('UPDATE run SET definition = $2 WHERE id = $1', [run, definition]);
  await replica({ leaseMs: 0 }).sweep();
  expect(await harness.statusOf(run)).toMatchObject({ status: 'failed' });
  const { rows } = await harness.pool.query('SELECT error FROM run WHERE id = $1', [run]);
  expect(rows[0]).toMatchObject({ error: { message: expect.stringContaining('about step 2 was not answered') } });
});

it('reclaims no run for one lease time after a gap without a sweeper', async () => {
  await untilNoSweeper();
  const run = await abandonedRun();
  const swept = async (lastSeen: string) => {
    await harness.pool.query(`UPDATE heartbeat SET seen_at = now() + $1::interval WHERE name = 'sweeper'`, [lastSeen]);
    await replica().sweep();
    return (await harness.typesOf(run)).includes('3 run.requeued');
  };
  expect(await swept('-1 minute')).toBe(false);
  await Promise.all(replicas.splice(0).map((sweeper) => sweeper.stop()));
  await untilNoSweeper();
  expect(await swept('1 minute')).toBe(true);
});

describe('while Redis does not answer', () => {
  let wire: TcpProxy;
  let board: JobQueue;

  beforeEach(async () => {
    await untilNoSweeper();
    const { log, prefix: redisPrefix } = harness;
    wire = await startTcpProxy(harness.redisUrl);
    board = new JobQueue({ redisUrl: wire.url, prefix: redisPrefix, log, timeoutMs: 600_000 });
    await until('Redis answered', () =>
      board.check().then(
        () => true,
        () => false,
      ),
    );
  });

  afterEach(async () => {
    wire.flow();
    await Promise.all(replicas.splice(0).map((sweeper) => sweeper.stop()));
    await board.close();
    await wire.close();
  });

  function withoutRedis(overrides: Partial<SweeperDeps> = {}): Sweeper {
    const { pool, log } = harness;
    const fleetName = async () => harness.fleet.name;
    const localSlots = new LocalSlots();
    const dispatcher = new RunDispatcher({ pool, jobQueue: board, localSlots, fleetName, window: 16, log });
    return replica({ dispatcher, ...overrides });
  }

  /** A run admitted long ago whose dispatch job is missing. */
  async function admitted(): Promise<void> {
    const { pool } = harness;
    await pool.query('UPDATE fleet SET paused_at = now() WHERE id = $1', [harness.fleet.id]);
    const waiting = await harness.submit();
    await pool.query('UPDATE fleet SET paused_at = NULL WHERE id = $1', [harness.fleet.id]);
    const long = `UPDATE run SET admitted_at = now() - interval '1 minute' WHERE id = $1`;
    expect((await pool.query(long, [waiting])).rowCount).toBe(1);
  }

  it('continues to sweep', async () => {
    wire.hang();
    await admitted();
    const sweeper = withoutRedis();
    const run = await expired();
    await sweeper.sweep();
    expect(await codeOf(run)).toBe('RUN_EXPIRED');
    const next = await expired();
    await sweeper.sweep();
    expect(await codeOf(next)).toBe('RUN_EXPIRED');
  });

  it('stops in time', async () => {
    wire.hang();
    await admitted();
    const sweeper = withoutRedis();
    await sweeper.sweep();
    await sweeper.stop();
    expect(harness.log.lines.map(({ message }) => message)).toContain('closing the sweeper timed out');
    await until('its turn is free', async () => (await harness.pool.query(LEADERS)).rowCount === 0);
  });
});
