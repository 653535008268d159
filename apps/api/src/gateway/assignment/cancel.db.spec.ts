import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { RunLifecycle } from '../../run-lifecycle/run-lifecycle.ts';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('a run that is cancelled', () => {
  const harness = useGatewayHarness();
  const { worker, submit, statusOf, whenStatus } = harness;

  it('the worker is notified at once', async () => {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    await harness.whenAccepted(run);
    expect(await harness.lifecycle.runs.cancel(run, 'the spec')).toBe('cancelling');
    await w.waitFor('cancel', (message) => message.run === run);
    w.append(attempt, [], { outcome: { status: 'cancelled' } });
    await whenStatus(run, 'cancelled');
    expect(await harness.lifecycle.runs.cancel(run, 'the spec')).toBe('cancelled');
  });

  it('is acknowledged to a worker whose writes all arrive too late', async () => {
    const run = await submit();
    const { pool, lifecycle: services } = harness;
    const lateLifecycle = new RunLifecycle({
      ...services,
      pool,
      inserter: { submit: () => Promise.reject(new Error('unused')) } as never,
      clock: systemClock,
      writer: { write: async () => null } as never,
    });
    await expect(lateLifecycle.cancel(run, 'the spec')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retry: 'same-request',
      details: { retryAfterSeconds: 1 },
    });
    expect(await statusOf(run)).toMatchObject({ status: 'queued' });
    expect(await services.runs.cancel(run, 'the spec')).toBe('cancelled');
  });

  it('ends at once in the queue, and its job is dropped', async () => {
    const run = await submit();
    expect(await harness.lifecycle.runs.cancel(run, 'the spec')).toBe('cancelled');
    const w = worker();
    await w.connect();
    const next = await submit();
    await w.acceptAssignment(next);
    expect(await statusOf(run)).toMatchObject({ status: 'cancelled', epoch: 0 });
  });

  it('is taken from a worker that does not answer', async () => {
    const run = await askingRun();
    await harness.pool.query(`UPDATE run SET cancel_requested_at = now() - interval '11 seconds' WHERE id = $1`, [run]);
    await whenStatus(run, 'cancelled');
    const { rows } = await harness.pool.query(
      'SELECT message FROM run_event WHERE run_id = $1 ORDER BY seq DESC LIMIT 1',
      [run],
    );
    expect(rows).toEqual([{ message: 'Cancelled by the spec; the worker did not respond' }]);
  });

  it('does not go back to the queue when its worker is lost', async () => {
    const run = await askingRun();
    await harness.expire(run);
    await whenStatus(run, 'cancelled');
    expect((await harness.typesOf(run)).slice(2)).toEqual(['3 run.cancelling', '4 run.cancelled']);
  });

  it('does not go back to the queue when its worker hands it back', async () => {
    const { run, attempt, w } = await startAsking();
    w.send({ type: 'handback', ...attempt, error: new PilothouseError('RUN_HANDED_BACK', 'Draining').view() });
    expect(await whenStatus(run, 'cancelled')).toMatchObject({ epoch: 1 });
    expect((await harness.typesOf(run)).slice(2)).toEqual(['3 run.cancelling', '4 run.cancelled']);
  });

  it('does not go back to the queue when its worker does not know of it', async () => {
    const { run, w } = await startAsking();
    await w.connect();
    expect(await whenStatus(run, 'cancelled')).toMatchObject({ epoch: 1 });
  });

  /** A cancelled run whose worker asked a person before it was notified. */
  async function runAskingPerson(): Promise<string> {
    const { run, attempt, w } = await startAsking();
    const question: RunQuestion = { step: 0, id: null, reason: 'Why', choices: [{ choice: 'retry', title: 'Do it' }] };
    w.append(attempt, [stepStartedMessage(0)], { question });
    await whenStatus(run, 'awaiting_user');
    return run;
  }

  it('does not wait for a question that its worker asked before it was notified', async () => {
    const run = await runAskingPerson();
    expect(await harness.lifecycle.runs.answer(run, { choice: 'retry' }, 'Ada')).toBe(false);
    await harness.expire(run);
    expect(await whenStatus(run, 'cancelled')).toMatchObject({ epoch: 1 });
  });

  it('does not keep waiting without a worker', async () => {
    const run = await runAskingPerson();
    await harness.pool.query(
      `WITH released AS (DELETE FROM lease WHERE run_id = $1)
       UPDATE run SET worker_name = NULL, cancel_requested_at = now() - interval '11 seconds' WHERE id = $1`,
      [run],
    );
    expect(await whenStatus(run, 'cancelled')).toMatchObject({ epoch: 1 });
  });

  const askingRun = async () => (await startAsking()).run;

  /** A cancelled run whose worker does not respond. */
  async function startAsking() {
    const w = worker();
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    await harness.whenAccepted(run);
    expect(await harness.lifecycle.runs.cancel(run, 'the spec')).toBe('cancelling');
    return { run, attempt, w };
  }
});
