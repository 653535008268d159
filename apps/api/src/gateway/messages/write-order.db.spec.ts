import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Pool } from '@pilothouse/infra-db';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import {
  stepCompletedMessage,
  stepStartedMessage,
  type ProtocolWorker,
} from '../../testing/protocol-worker.fixture.ts';
import { useProxiedDatabase } from '../../testing/connected-workers.fixture.ts';

const question: RunQuestion = {
  step: 0,
  id: null,
  reason: 'Step 1 may have run before',
  choices: [{ choice: 'retry', title: 'It did not' }],
};

const note = (message: string) => createEvent('run.log', message, { facts: {} }, new Date());

const harness = useGatewayHarness();
const { submit, statusOf, typesOf, whenAccepted, whenStatus } = harness;

/** A run with a durable accept of a worker. */
const startAttempt = async (w: ProtocolWorker) => {
  await w.connect();
  const run = await submit();
  const attempt = await w.acceptAssignment(run);
  await whenAccepted(run);
  return attempt;
};

const usedBy = async (run: string) =>
  (await harness.pool.query('SELECT used_steps, completed_steps, attempt_event_seq FROM run WHERE id = $1', [run]))
    .rows[0] as unknown;

const whenDurable = (run: string, n: number) =>
  until(`event ${n} is durable`, async () => {
    const { rowCount } = await harness.pool.query('SELECT FROM run WHERE id = $1 AND attempt_event_seq >= $2', [
      run,
      n,
    ]);
    return rowCount === 1;
  });

const whenAnswered = (w: ProtocolWorker, id: number) => w.waitFor('renew.ack', ({ sentAt }) => sentAt === id);

const acknowledged = (w: ProtocolWorker) =>
  w.received.flatMap((message) => (message.type === 'append.ack' ? message.sequence : []));

describe('writes of an attempt during a delayed earlier write', () => {
  /** Fails the first write with an event of this type, like a broken connection. A sequence survives the rollback. */
  const failOnce = async (type: string) => {
    await harness.pool.query(`
      CREATE SEQUENCE failed;
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('failed') = 1 THEN RAISE EXCEPTION 'It breaks once'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail_once BEFORE INSERT ON run_event FOR EACH ROW WHEN (NEW.type = '${type}') EXECUTE FUNCTION fail_once();
    `);
  };

  afterEach(async () => {
    await harness.pool.query('DROP FUNCTION IF EXISTS fail_once CASCADE; DROP SEQUENCE IF EXISTS failed');
  });

  it('wait for it: all become durable in order, and are acknowledged only then', async () => {
    const w = harness.worker();
    const attempt = await startAttempt(w);
    await failOnce('step.started');
    w.append(attempt, [stepStartedMessage(0)], { safePoint: { step: 0, state: 'cookie=42' } });
    w.append(attempt, [stepCompletedMessage(0)], { safePoint: { step: 1 } });
    await w.waitFor('append.ack', ({ sequence: n }) => n === 2);
    expect(acknowledged(w)).toEqual([1, 2]);
    const { run } = attempt;
    expect(await typesOf(run)).toEqual(['1 run.queued', '2 run.assigned', '3 step.started', '4 step.completed']);
    expect(await usedBy(run)).toEqual({ used_steps: 1, completed_steps: 1, attempt_event_seq: 2 });
    const steps = await harness.pool.query(
      'SELECT step, status, started_at IS NOT NULL AS began FROM run_step WHERE run_id = $1',
      [run],
    );
    expect(steps.rows).toEqual([{ step: 0, status: 'completed', began: true }]);
    const saved = await harness.pool.query('SELECT step, state FROM safe_point WHERE run_id = $1', [run]);
    expect(saved.rows).toEqual([{ step: 1, state: Buffer.from('cookie=42') }]);
  });

  it('wait for it with the outcome, too', async () => {
    const w = harness.worker();
    const attempt = await startAttempt(w);
    await failOnce('step.started');
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)]);
    w.append(attempt, [], { outcome: { status: 'completed', output: {} } });
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await typesOf(attempt.run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 step.completed',
      '5 run.completed',
    ]);
  });

  it('wait for it when the run is returned', async () => {
    const w = harness.worker();
    const attempt = await startAttempt(w);
    await failOnce('step.started');
    w.append(attempt, [stepStartedMessage(0)]);
    w.send({
      type: 'handback',
      ...attempt,
      error: { code: 'RUN_HANDED_BACK', message: 'It drains', retry: 'new-worker' },
    });
    await until('it was handed back', async () => (await typesOf(attempt.run)).includes('4 run.requeued'));
    expect((await typesOf(attempt.run)).slice(0, 4)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 run.requeued',
    ]);
  });

  it('are dropped if it fails: the worker repeats them on another socket', async () => {
    const w = harness.worker();
    const attempt = await startAttempt(w);
    w.append(attempt, [stepCompletedMessage(0)], {}, 2);
    expect(await w.waitFor('rejected')).toMatchObject({ ...attempt, error: { code: 'UNAVAILABLE' } });
    w.append(attempt, [note('later')], {}, 3);
    w.send({ type: 'renew', sentAt: 1, attempts: [attempt] });
    await whenAnswered(w, 1);
    expect(await usedBy(attempt.run)).toEqual({ used_steps: 0, completed_steps: 0, attempt_event_seq: 0 });
    w.disconnect();
    expect(await w.connect([attempt], 0)).toMatchObject({ attempts: [{ ...attempt, sequence: 0 }] });
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0), note('later')], {}, 1);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 3);
    expect(await usedBy(attempt.run)).toEqual({ used_steps: 1, completed_steps: 1, attempt_event_seq: 3 });
  });

  it('wait for a question after a reconnect, for which the workflow is read first', async () => {
    const hasRead = Promise.withResolvers<true>();
    const reads: string[] = [];
    /** Database connection of a gateway that reads workflows slowly. */
    const slow = new Proxy(harness.pool, {
      get(pool, name) {
        const value: unknown = Reflect.get(pool, name, pool);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (name === 'query' && String(args[0]).startsWith('SELECT definition')) {
            reads.push('definition');
            await hasRead.promise;
          }
          return Reflect.apply(value, pool, args) as unknown;
        };
      },
    }) as Pool;
    const w = harness.worker(2);
    const attempt = await startAttempt(w);
    const otherAttempt = await w.acceptAssignment(await submit());
    w.disconnect();
    w.url = harness.replica(slow).url;
    await w.connect([attempt, otherAttempt], 0);
    w.append(attempt, [stepStartedMessage(0)], { question });
    w.append(attempt, [note('a file came')]);
    for (const step of [0, 1]) {
      const last = w.append(otherAttempt, [stepStartedMessage(step)]);
      await w.waitFor('append.ack', ({ run, sequence: n }) => run === otherAttempt.run && n === last);
    }
    expect(reads).toEqual(['definition']);
    expect(await usedBy(attempt.run)).toMatchObject({ attempt_event_seq: 0 });
    hasRead.resolve(true);
    await w.waitFor('append.ack', ({ run, sequence: n }) => run === attempt.run && n === 2);
    expect(await typesOf(attempt.run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 run.awaiting_user',
      '5 run.log',
    ]);
  });
});

describe('a write whose acknowledgement was lost', () => {
  const database = useProxiedDatabase(harness);
  /** A run at a gateway whose database answers stop arriving. */
  const muted = async () => {
    const replica = harness.replica(database.pool);
    await Promise.all([harness.lifecycle.sweeper.stop(), replica.lifecycle.sweeper.stop()]);
    const w = harness.worker(1, replica.url);
    const attempt = await startAttempt(w);
    database.proxy.mute();
    return { w, attempt };
  };

  it('is stored once, and counts once', async () => {
    const { w, attempt } = await muted();
    const { run } = attempt;
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)]);
    await whenDurable(run, 2);
    expect(acknowledged(w)).toEqual([]);
    database.proxy.resetConnections();
    await w.waitFor('append.ack', ({ sequence: n }) => n === 2);
    expect(await usedBy(run)).toEqual({ used_steps: 1, completed_steps: 1, attempt_event_seq: 2 });
    w.append(attempt, [], { outcome: { status: 'completed', output: {} } });
    await whenStatus(run, 'completed');
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 step.completed',
      '5 run.completed',
    ]);
  });

  it('of an answered question does not ask again', async () => {
    const { w, attempt } = await muted();
    const { run } = attempt;
    w.append(attempt, [stepStartedMessage(0)], { question });
    await whenStatus(run, 'awaiting_user');
    expect(await harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada')).toBe(true);
    database.proxy.resetConnections();
    await w.waitFor('append.ack', ({ sequence: n }) => n === 1);
    expect(await statusOf(run)).toMatchObject({ status: 'running', epoch: 1 });
    const { rows } = await harness.pool.query('SELECT answer FROM run WHERE id = $1', [run]);
    expect(rows).toEqual([{ answer: { step: 0, path: '1', choice: 'retry', answeredBy: 'Ada' } }]);
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 run.awaiting_user',
      '5 run.answered',
    ]);
  });

  it('of an outcome ends the run once', async () => {
    const { w, attempt } = await muted();
    const { run } = attempt;
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)], {
      outcome: { status: 'completed', output: {} },
    });
    await whenStatus(run, 'completed');
    database.proxy.resetConnections();
    await w.waitFor('attempt.lost', (lost) => lost.run === run);
    expect(await usedBy(run)).toEqual({ used_steps: 1, completed_steps: 1, attempt_event_seq: 2 });
    expect((await typesOf(run)).at(-1)).toBe('5 run.completed');
  });
});

describe('messages repeated after a write that outlived its socket', () => {
  /** A run whose first two events are stored although its worker knows of none. */
  const outlived = async () => {
    const w = harness.worker();
    const attempt = await startAttempt(w);
    const { run } = attempt;
    const holding = await harness.pool.connect();
    try {
      await holding.query('BEGIN');
      await holding.query('SELECT FROM run WHERE id = $1 FOR UPDATE', [run]);
      w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)]);
      await until('the write waits for the row', async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await harness.pool.query(waiting)).rowCount === 1;
      });
      w.disconnect();
      w.url = harness.replica().url;
      expect(await w.connect([attempt], 0)).toMatchObject({ attempts: [{ ...attempt, sequence: 0 }] });
      await holding.query('COMMIT');
    } finally {
      holding.release();
    }
    await whenDurable(run, 2);
    return { w, attempt };
  };

  it('count only the new part', async () => {
    const { w, attempt } = await outlived();
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0), stepStartedMessage(1)], {}, 1);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 3);
    expect(await usedBy(attempt.run)).toEqual({ used_steps: 2, completed_steps: 1, attempt_event_seq: 3 });
    expect((await typesOf(attempt.run)).slice(2)).toEqual(['3 step.started', '4 step.completed', '5 step.started']);
  });

  it('delay a safe point sent ahead of them', async () => {
    const { w, attempt } = await outlived();
    const saved = { step: 1, state: 'cookie=42' };
    const readSafePoint = () => harness.pool.query('SELECT step FROM safe_point WHERE run_id = $1', [attempt.run]);
    w.append(attempt, [], { safePoint: saved });
    await w.waitFor('append.ack', ({ sequence: n }) => n === 2);
    expect((await readSafePoint()).rows).toEqual([]);
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0), stepStartedMessage(1)], { safePoint: saved }, 1);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 3);
    expect((await readSafePoint()).rows).toEqual([{ step: 1 }]);
  });

  it('keep the outcome even if the events are skipped', async () => {
    const { w, attempt } = await outlived();
    w.append(
      attempt,
      [stepStartedMessage(0), stepCompletedMessage(0)],
      { outcome: { status: 'completed', output: {} } },
      1,
    );
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await usedBy(attempt.run)).toEqual({ used_steps: 1, completed_steps: 1, attempt_event_seq: 2 });
    expect((await typesOf(attempt.run)).slice(2)).toEqual(['3 step.started', '4 step.completed', '5 run.completed']);
    expect(await statusOf(attempt.run)).toMatchObject({ status: 'completed' });
  });
});
