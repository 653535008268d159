import { useGateway } from '../testing/gateway.fixture.ts';

describe('a run that is cancelled', () => {
  const house = useGateway();
  const { worker, submit, statusOf, whenStatus } = house;

  it('tells the worker of a cancellation at once', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.take(run);
    await house.whenAccepted(run);
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

  it('is taken from a worker that does not answer', async () => {
    const run = await asked();
    await house.pool.query(`UPDATE run SET cancel_requested_at = now() - interval '11 seconds' WHERE id = $1`, [run]);
    await whenStatus(run, 'cancelled');
    const { rows } = await house.pool.query(
      'SELECT message FROM run_event WHERE run_id = $1 ORDER BY seq DESC LIMIT 1',
      [run],
    );
    expect(rows).toEqual([{ message: 'Cancelled by the spec; the worker did not answer' }]);
  });

  it('does not go back to the queue when its worker is lost', async () => {
    const run = await asked();
    await house.expire(run);
    await whenStatus(run, 'cancelled');
    expect((await house.typesOf(run)).slice(2)).toEqual(['3 run.cancelling', '4 run.cancelled']);
  });

  /** A run whose worker was asked to stop, and says nothing. */
  async function asked(): Promise<string> {
    const w = worker();
    await w.connect();
    const run = await submit();
    await w.take(run);
    await house.whenAccepted(run);
    expect(await house.way.way.cancel(run, 'the spec')).toBe('cancelling');
    return run;
  }
});
