import { until } from '@pilothouse/testing/test-helpers';
import { LEASE_MS, useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepCompletedMessage, stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('the lease of a run', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf, typesOf } = harness;

  /** Lease times until the lease ends, rounded up. */
  const remainingLeases = async (run: string): Promise<number> => {
    const { rows } = await harness.pool.query<{ left: number }>(
      `SELECT ceil(extract(epoch FROM expires_at - now()) * 1000 / $2)::int AS left FROM lease WHERE run_id = $1`,
      [run, LEASE_MS],
    );
    return rows[0]?.left ?? NaN;
  };

  it('expires for a worker that stops renewing, which can then write nothing', async () => {
    const zombie = worker();
    await zombie.connect();
    const run = await submit();
    const old = await zombie.acceptAssignment(run);
    zombie.append(old, [stepStartedMessage(0)]);
    await zombie.waitFor('append.ack');
    const heir = worker();
    await heir.connect();
    await harness.expire(run);
    const { assignment } = await heir.waitFor('assign', ({ assignment: { run: id } }) => id === run);
    expect(assignment).toMatchObject({
      epoch: 2,
      checkpoints: [{ step: 0, status: 'running', epoch: 1, value: null }],
    });
    const newAttempt = await heir.acceptAssignment(run);
    zombie.append(old, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: {} } });
    expect(await zombie.waitFor('attempt.lost', (message) => message.run === run)).toMatchObject({
      error: { code: 'LEASE_LOST' },
    });
    heir.append(newAttempt, [stepStartedMessage(0), stepCompletedMessage(0)], {
      outcome: { status: 'completed', output: { by: 'heir' } },
    });
    await heir.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 2, output: { by: 'heir' } });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 run.requeued',
      '5 run.assigned',
      '6 step.started',
      '7 step.completed',
      '8 run.completed',
    ]);
  });

  it('is renewed for three lease times, and ends one lease time after the last renewal of a worker that disconnects', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    for (const sentAt of [1, 2]) {
      // Most of it has passed.
      await harness.pool.query(`UPDATE lease SET expires_at = now() + interval '60 seconds' WHERE run_id = $1`, [run]);
      w.send({ type: 'renew', sentAt, attempts: [attempt] });
      await w.waitFor('renew.ack', (renewed) => renewed.sentAt === sentAt);
      expect(await remainingLeases(run)).toBe(3);
    }
    expect(await statusOf(run)).toMatchObject({ status: 'running', epoch: 1 });
    // The time of the worker is written apart from the lease.
    await harness.pool.query(`UPDATE worker SET last_seen_at = now() - interval '1 hour'`);
    w.disconnect();
    await until('the lease ends earlier', async () => (await remainingLeases(run)) === 1);
    // A worker that reconnects keeps its run.
    await w.connect([attempt], 0);
    w.send({ type: 'renew', sentAt: 3, attempts: [attempt] });
    await w.waitFor('renew.ack', (renewed) => renewed.sentAt === 3);
    expect(await remainingLeases(run)).toBe(3);
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)], {
      outcome: { status: 'completed', output: {} },
    });
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 1 });
  });

  it('moves to another worker when the first never accepts', async () => {
    const silent = worker();
    await silent.connect();
    const run = await submit();
    await silent.waitFor('assign');
    const otherWorker = worker();
    await otherWorker.connect();
    expect(await otherWorker.acceptAssignment(run)).toMatchObject({ epoch: 2 });
    expect(await typesOf(run)).toContain('3 run.requeued');
  });

  it('survives when the gateway stops and its workers reconnect to another', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    w.append(attempt, [stepStartedMessage(0)]);
    await w.waitFor('append.ack');
    await harness.closeGateway();
    await w.waitFor('gateway.closing');
    harness.openGateway();
    const welcome = await w.connect([attempt], 0);
    expect(welcome.attempts).toEqual([{ ...attempt, sequence: 1 }]);
    w.append(attempt, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: {} } });
    await w.waitFor('append.ack', ({ isFinal }) => isFinal);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 1 });
  });
});
