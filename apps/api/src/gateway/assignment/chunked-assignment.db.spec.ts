import { MAX_MESSAGE_BYTES } from '@pilothouse/contract/worker/assignment.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import {
  stepCompletedMessage,
  stepStartedMessage,
  type ProtocolWorker,
} from '../../testing/protocol-worker.fixture.ts';

describe('a run with large read values', () => {
  const harness = useGatewayHarness();
  const { worker, submit, whenStatus, statusOf } = harness;

  /** A run of a lost worker. Its loop has read this many values of 400 kB, with four bytes per character or escaped. */
  const runThatRead = async (values: number): Promise<string> => {
    const first = worker();
    await first.connect();
    const run = await submit();
    const attempt = await first.acceptAssignment(run);
    first.append(attempt, [stepStartedMessage(0)]);
    await first.waitFor('append.ack', ({ run: ackedRun }) => ackedRun === run);
    await harness.pool.query(
      `INSERT INTO run_step (run_id, step, path, epoch, status, value, postcondition_was_false, started_at, finished_at)
       SELECT $1, n, '1[' || n || ']/1', 1, 'completed', to_json(n || ' "' || repeat('😀', 100000)), false, now(), now() FROM generate_series(1, $2) n`,
      [run, values],
    );
    first.disconnect();
    return run;
  };

  /** A worker with two slots and one active run. */
  const startTwoRuns = async (): Promise<{ w: ProtocolWorker; other: string }> => {
    const w = worker(2);
    const otherRun = await submit();
    await w.connect();
    const attempt = await w.acceptAssignment(otherRun);
    w.append(attempt, [stepStartedMessage(0)]);
    await w.waitFor('append.ack', ({ run }) => run === otherRun);
    return { w, other: otherRun };
  };
  const completesBoth = async (w: ProtocolWorker, otherRun: string) => {
    expect(w.isClosed).toBe(false);
    w.append({ run: otherRun, epoch: 1 }, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: {} } });
    await whenStatus(otherRun, 'completed');
  };

  it('is assigned completely in several messages, without delaying other runs', async () => {
    const run = await runThatRead(15);
    const { w, other } = await startTwoRuns();
    await harness.expire(run);
    const { assignment } = await w.waitFor('assign', (message) => message.assignment.run === run);
    expect(JSON.stringify(assignment).length * 2).toBeGreaterThan(MAX_MESSAGE_BYTES);
    expect(w.received.filter(({ type }) => type === 'chunk').length).toBeGreaterThan(1);
    const values = assignment.checkpoints.slice(1).map(({ value }) => value);
    expect(values).toEqual(Array.from({ length: 15 }, (_, n) => `${n + 1} "${'😀'.repeat(100_000)}`));
    const attempt = { run, epoch: assignment.epoch };
    w.append(attempt, [stepStartedMessage(16), stepCompletedMessage(16)], {
      outcome: { status: 'completed', output: {} },
    });
    await whenStatus(run, 'completed');
    await completesBoth(w, other);
  });

  /** Connects a worker whose connection breaks at the first chunk; it reconnects until `isDone`. */
  const disconnectsAtFirstChunk = async (isDone: () => Promise<boolean>) => {
    const w = worker();
    w.onMessage = ({ type }) => type === 'chunk' && w.disconnect();
    await w.connect();
    await until('the worker was tried often enough', async () => {
      if (w.isClosed) await w.connect();
      return isDone();
    });
    w.disconnect();
  };

  it('is assigned to another worker when the first one disconnects during the transfer', async () => {
    const run = await runThatRead(15);
    await harness.expire(run);
    await disconnectsAtFirstChunk(async () => (await rejectedClaimsOf(run)) > 0);
    const next = worker();
    await next.connect();
    await next.acceptAssignment(run);
    await until('the count restarts', async () => (await rejectedClaimsOf(run)) === 0);
  });

  it('fails alone when its values exceed the limit of an assignment', async () => {
    const run = await runThatRead(81);
    const { w, other } = await startTwoRuns();
    await harness.expire(run);
    const { error } = await whenStatus(run, 'failed');
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('32.4 MB') });
    await completesBoth(w, other);
  });

  it('is a poison run when no worker accepts it five times in a row', async () => {
    const run = await runThatRead(15);
    await harness.expire(run);
    await disconnectsAtFirstChunk(async () => {
      // The delay grows with each claim.
      await harness.pool.query(`UPDATE run SET queued_at = queued_at - interval '1 minute' WHERE id = $1`, [run]);
      return (await statusOf(run))?.status === 'failed';
    });
    const message = expect.stringMatching(/5 times in a row/);
    expect(await statusOf(run)).toMatchObject({ error: { code: 'POISON_RUN', message }, epoch: 6 });
  });

  it('waits longer after each claim without an accept, and lets others pass', async () => {
    const [run, next] = [await submit(), await submit()];
    // One admission reads both.
    await harness.pool.query(
      `UPDATE run SET admitted_at = NULL, queued_at = now(), rejected_claims = CASE WHEN id = $1 THEN 100 ELSE 0 END WHERE id IN ($1, $2)`,
      [run, next],
    );
    const isAdmitted = async (id: string) =>
      (await harness.pool.query('SELECT FROM run WHERE id = $1 AND admitted_at IS NOT NULL', [id])).rowCount === 1;
    await until('the other is admitted', () => isAdmitted(next));
    expect(await isAdmitted(run)).toBe(false);
    await harness.pool.query(`UPDATE run SET queued_at = now() - interval '3 hours' WHERE id = $1`, [run]);
    await until('it is, too', () => isAdmitted(run));
  });

  const rejectedClaimsOf = async (run: string) =>
    (await harness.pool.query<{ rejected: number }>('SELECT rejected_claims AS rejected FROM run WHERE id = $1', [run]))
      .rows[0]?.rejected ?? 0;
});
