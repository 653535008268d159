import { until } from '@pilothouse/testing';
import { useGateway } from '../testing/gateway.fixture.ts';

describe('a run that is cancelled', () => {
  const house = useGateway();
  const { worker, submit, statusOf, whenStatus } = house;

  it('tells the worker of a cancellation at once', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    await until(
      'it is accepted',
      async () =>
        (await house.pool.query('SELECT 1 FROM lease WHERE run_id = $1 AND accepted_at IS NOT NULL', [run]))
          .rowCount === 1,
    );
    expect(await house.way.way.cancel(run, 'the spec')).toBe('cancelling');
    await w.hear('cancel', (message) => message.run === run);
    w.append(attempt, [], { outcome: { status: 'cancelled' } });
    await whenStatus(run, 'cancelled');
    expect(await house.way.way.cancel(run, 'the spec')).toBe('cancelled');
  });

  it('cancels a queued run at once, and its hint is dropped', async () => {
    const run = await submit();
    expect(await house.way.way.cancel(run, 'the spec')).toBe('cancelled');
    const w = worker();
    await w.connect();
    const next = await submit();
    await w.take(next);
    expect(await statusOf(run)).toMatchObject({ status: 'cancelled', epoch: 0 });
  });
});
