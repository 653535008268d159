import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepCompletedMessage, stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('messages of a worker', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf, typesOf } = harness;

  it('carry a run from submit to its end, with numbered events', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepStartedMessage(0)]);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 1);
    w.append(attempt, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: { ok: true } } });
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 1, output: { ok: true } });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 step.completed',
      '5 run.completed',
    ]);
    const { rows } = await harness.pool.query('SELECT step, status, tier FROM run_step WHERE run_id = $1', [run]);
    expect(rows).toEqual([{ step: 0, status: 'completed', tier: 0 }]);
    expect((await harness.pool.query('SELECT 1 FROM lease WHERE run_id = $1', [run])).rowCount).toBe(0);
  });

  it('store the attempts of a step for the next worker', async () => {
    const first = worker();
    await first.connect();
    const run = await submit();
    const attempt = await first.acceptAssignment(run);
    const ref = { step: 0, path: 'order', id: 'order' };
    const step = { ...ref, action: 'press' as const, title: 'Press', summary: 'Press Enter' };
    const acting = (n?: number) =>
      createEvent('step.started', 'Press', { ...step, ...(n !== undefined && { attempt: n }) }, new Date(0));
    const error = { code: 'TARGET_NOT_ACTIONABLE' as const, retry: 'no' as const, message: 'It is covered' };
    const failedAt = new Date(1_000);
    const retrying = (n: number) => {
      const retryData = {
        maxAttempts: 3,
        errorCode: error.code,
        error,
        outcome: 'unknown' as const,
        effect: 'unverifiable' as const,
        durationMs: 5,
        nextAttemptAt: new Date(2_000).toISOString(),
      };
      return createEvent('step.retrying', 'It failed', { ...ref, attempt: n, ...retryData }, failedAt);
    };
    const rows = async () =>
      (
        await harness.pool.query(
          `SELECT s.path, s.status, s.attempts, s.error->>'code' AS error, r.step_retries AS retries, r.used_steps AS used,
                  s.outcome, s.effect, s.effect_reason AS reason, r.unverified_steps AS unverified
           FROM run r JOIN run_step s ON s.run_id = r.id WHERE r.id = $1`,
          [run],
        )
      ).rows as unknown;
    first.append(attempt, [acting(), retrying(1)]);
    await first.waitFor('append.ack', ({ sequence: n }) => n === 2);
    const failed = { outcome: 'unknown', effect: 'unverifiable', reason: null, unverified: 0 };
    const waits = { path: 'order', status: 'retrying', attempts: 1, error: error.code, retries: 1, used: 1, ...failed };
    expect(await rows()).toEqual([waits]);
    first.append(attempt, [acting(2)]);
    await first.waitFor('append.ack', ({ sequence: n }) => n === 3);
    const begun = { status: 'running', attempts: 2, error: null, used: 2, outcome: null, effect: null };
    expect(await rows()).toEqual([{ ...waits, ...begun }]);
    first.append(attempt, [retrying(2)]);
    await first.waitFor('append.ack', ({ sequence: n }) => n === 4);
    first.send({ type: 'ready', freeSlots: 0 });
    first.send({
      type: 'handback',
      ...attempt,
      error: { code: 'RUN_HANDED_BACK', retry: 'new-worker', message: 'It drains' },
    });
    const second = worker();
    await second.connect();
    const { assignment } = await second.waitFor('assign', ({ assignment: candidate }) => candidate.epoch === 2);
    expect(assignment.checkpoints).toEqual([
      {
        ...{ step: 0, path: 'order', status: 'retrying', epoch: 1, value: null, verifiable: false, error },
        ...{ attempts: 2, failedAt: failedAt.toISOString() },
      },
    ]);
    const next = await second.acceptAssignment(run);
    second.append(next, [
      acting(3),
      createEvent(
        'step.completed',
        'Done',
        {
          ...{ ...ref, tier: 'replay', durationMs: 5, located: null, page: null },
          ...{ outcome: 'completed', effect: 'unverifiable', effectReason: 'Nothing reads it' },
        },
        new Date(0),
      ),
    ]);
    await second.waitFor('append.ack', ({ sequence: n }) => n === 2);
    const done = { outcome: 'completed', effect: 'unverifiable', reason: 'Nothing reads it', unverified: 1 };
    expect(await rows()).toEqual([
      { ...waits, status: 'completed', attempts: 3, error: null, retries: 2, used: 3, ...done },
    ]);
  });

  it('count steps of branches in the budget', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    const branch = (name: string, n: number) => {
      const data = { step: 0, id: null, branch: name, sequence: n, action: 'reload' as const, title: 'Reload' };
      return createEvent('branch.step_started', `${name}: Reload`, data, new Date(0));
    };
    w.append(attempt, [stepStartedMessage(0), branch('left', 1), branch('right', 1), branch('left', 2)]);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 4);
    const { rows } = await harness.pool.query('SELECT used_steps FROM run WHERE id = $1', [run]);
    expect(rows).toEqual([{ used_steps: 4 }]);
  });

  it('notify a watcher of each event once, from before and after its subscription', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const writes: string[] = [];
    const watching = (async () => {
      for await (const event of harness.lifecycle.runs.watch(run, 0, AbortSignal.timeout(10_000)))
        writes.push(`${event.seq} ${event.type}`);
    })();
    const attempt = await w.acceptAssignment(run);
    for (let step = 0; step < 20; step += 1) w.append(attempt, [stepStartedMessage(step), stepCompletedMessage(step)]);
    w.append(attempt, [], { outcome: { status: 'completed', output: {} } });
    await watching;
    expect(writes).toEqual(await typesOf(run));
    expect(writes).toHaveLength(43);
  });

  it('store a repeated event only once', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)]);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 2);
    // The acknowledgement was lost, and the worker repeats everything after its reconnect.
    w.disconnect();
    const welcome = await w.connect([attempt], 0);
    expect(welcome.attempts).toEqual([{ ...attempt, sequence: 2 }]);
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0), stepStartedMessage(1)], {}, 1);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 3);
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 step.completed',
      '5 step.started',
    ]);
  });

  it('delete the safe point when the run ends, also one sent with the outcome', async () => {
    const safePoint = { step: 1, state: 'cookie=42' };
    const w = worker();
    await w.connect();
    for (const previous of [{}, { safePoint }]) {
      const run = await submit();
      const attempt = await w.acceptAssignment(run);
      w.append(attempt, [stepStartedMessage(0)], previous);
      w.append(attempt, [stepCompletedMessage(0)], { safePoint, outcome: { status: 'completed', output: {} } });
      await w.waitFor('append.ack', ({ run: ackedRun, isFinal }) => ackedRun === run && isFinal);
      w.send({
        type: 'ready',
        freeSlots: 1,
        assignmentsReceived: w.received.filter(({ type }) => type === 'assign').length,
      });
    }
    expect((await harness.pool.query('SELECT step FROM safe_point')).rows).toEqual([]);
  });

  it('cannot store an output that does not match its schema', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [], { outcome: { status: 'completed', output: 'not an object' } });
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await statusOf(run)).toMatchObject({ status: 'failed', error: { code: 'OUTPUT_INVALID' } });
  });

  it('store the step at which a run failed, without templates', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    const error = { code: 'TARGET_NOT_FOUND', message: 'Nothing is there', retry: 'no' } as const;
    w.append(attempt, [stepStartedMessage(0)], { outcome: { status: 'failed', error, step: 0 } });
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    const view = await statusOf(run);
    expect(view).toMatchObject({ status: 'failed', error: { ...error, step: { index: 0, path: '1' } } });
    expect(JSON.stringify(view)).toMatch(/"title":"[^"{]+"/);
  });

  it('are stored without characters that PostgreSQL cannot hold', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    const odd = createEvent(
      'run.log',
      'a\u0000b \ud83d c 😀',
      { facts: { text: '\u0000', 'a\u0000b': 1 } },
      new Date(),
    );
    w.append(attempt, [odd]);
    await w.waitFor('append.ack', ({ sequence: n }) => n === 1);
    const { rows } = await harness.pool.query(
      `SELECT message, data FROM run_event WHERE run_id = $1 AND type = 'run.log'`,
      [run],
    );
    expect(rows).toEqual([{ message: 'a\ufffdb \ufffd c 😀', data: { facts: { text: '\ufffd', 'a\ufffdb': 1 } } }]);
  });

  it('are stored without keys that could pollute a prototype', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    const odds = ['{"__proto__":{"admin":true}}', '[{"\\u005f_proto__":1}]', '{"__pro\\u0000to__":1}'];
    for (const [index, odd] of odds.entries()) {
      const event = { ...createEvent('run.log', 'odd', { facts: { odd: {} } }, new Date()), sequence: index + 1 };
      const text = JSON.stringify({ type: 'append', ...attempt, events: [event] });
      w.raw(text.replace('"odd":{}', `"kept":1,"odd":${odd}`));
      await w.waitFor('append.ack', ({ sequence: n }) => n === index + 1);
    }
    const { rows } = await harness.pool.query(
      `SELECT data::text FROM run_event WHERE run_id = $1 AND type = 'run.log' ORDER BY seq`,
      [run],
    );
    expect(rows).toEqual(
      ['{}', '[{}]', '{"__pro\ufffdto__":1}'].map((storedText) => ({
        data: `{"facts":{"kept":1,"odd":${storedText}}}`,
      })),
    );
  });
});
