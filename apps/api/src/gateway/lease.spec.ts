import { until } from '@pilothouse/testing';
import { LEASE_MS, useGateway } from '../testing/gateway.fixture.ts';
import { acted, acting } from '../testing/wire-worker.fixture.ts';

describe('the lease of a run', () => {
  const house = useGateway();
  const { worker, submit, statusOf, typesOf } = house;

  it('takes the run from a worker that stops renewing, and the zombie can write nothing', async () => {
    const zombie = worker();
    await zombie.connect();
    const run = await submit();
    const old = await zombie.take(run);
    zombie.append(old, [acting(0)]);
    await zombie.hear('appended');
    const heir = worker();
    await heir.connect();
    const { assignment } = await heir.hear('assign', ({ assignment: { run: id } }) => id === run);
    expect(assignment).toMatchObject({ epoch: 2, checkpoints: [{ step: 0, status: 'acting', epoch: 1, value: null }] });
    const fresh = await heir.take(run);
    zombie.append(old, [acted(0)], { outcome: { status: 'completed', output: {} } });
    expect(await zombie.hear('lost', (message) => message.run === run)).toMatchObject({
      error: { code: 'LEASE_LOST' },
    });
    heir.append(fresh, [acting(0), acted(0)], { outcome: { status: 'completed', output: { by: 'heir' } } });
    await heir.hear('appended', ({ ended }) => ended);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 2, output: { by: 'heir' } });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.acting',
      '4 run.requeued',
      '5 run.assigned',
      '6 step.acting',
      '7 step.acted',
      '8 run.completed',
    ]);
  });

  it('keeps the lease of a worker that renews, longer than the lease time', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    const { rows } = await house.pool.query<{ at: Date }>(
      `SELECT now() + interval '${2 * LEASE_MS} milliseconds' AS at`,
    );
    await until(
      'two lease times pass',
      async () => {
        w.send({ type: 'renew', sentAt: performance.now(), held: [attempt] });
        const passed = await house.pool.query('SELECT 1 WHERE now() > $1', [rows[0]?.at]);
        return passed.rowCount === 1;
      },
      LEASE_MS * 4,
    );
    expect(await statusOf(run)).toMatchObject({ status: 'running', epoch: 1 });
  });

  it('gives a run to another worker when the first never accepts', async () => {
    const silent = worker();
    await silent.connect();
    const run = await submit();
    await silent.hear('assign');
    const other = worker();
    await other.connect();
    expect(await other.take(run)).toMatchObject({ epoch: 2 });
    expect(await typesOf(run)).toContain('3 run.requeued');
  });

  it('loses no run when the gateway stops and its workers come to another', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    w.append(attempt, [acting(0)]);
    await w.hear('appended');
    await house.closeGateway();
    await w.hear('moved');
    house.openGateway();
    const welcome = await w.connect([attempt], 0);
    expect(welcome.keep).toEqual([{ ...attempt, n: 1 }]);
    w.append(attempt, [acted(0)], { outcome: { status: 'completed', output: {} } });
    await w.hear('appended', ({ ended }) => ended);
    expect(await statusOf(run)).toMatchObject({ status: 'completed', epoch: 1 });
  });
});
