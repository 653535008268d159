import type { Attempt, SafePoint } from '@pilothouse/contract/worker/assignment.schema';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import {
  stepCompletedMessage,
  stepStartedMessage,
  type ProtocolWorker,
} from '../../testing/protocol-worker.fixture.ts';
import { useProxiedDatabase } from '../../testing/connected-workers.fixture.ts';

const portal: SafePoint = { step: 1, state: 'the portal' };
const form: SafePoint = { step: 2, state: 'the form' };

const harness = useGatewayHarness();

/** A run whose first step was executed, although only its intent is durable. */
const startAttempt = async (w: ProtocolWorker): Promise<Attempt> => {
  await w.connect();
  const attempt = await w.acceptAssignment(await harness.submit());
  w.append(attempt, [stepStartedMessage(0)]);
  await w.waitFor('append.ack', ({ sequence: n }) => n === 1);
  return attempt;
};

const appendWithSafePoint = (attempt: Attempt, safePoint: SafePoint) => ({
  type: 'append' as const,
  ...attempt,
  events: [],
  safePoint,
});

const savedOf = async ({ run }: Attempt) => {
  const { rows } = await harness.pool.query<SafePoint>(
    `SELECT step, convert_from(state, 'UTF8') AS state FROM safe_point WHERE run_id = $1`,
    [run],
  );
  return rows;
};

/** The second step is executed through another gateway, and creates the next safe point. */
const continues = async (w: ProtocolWorker, attempt: Attempt, url: string) => {
  w.url = url;
  await w.connect([attempt], 0);
  w.append(attempt, [stepCompletedMessage(0), stepStartedMessage(1)], { safePoint: portal }, 2);
  await w.waitFor('append.ack', ({ sequence: n }) => n === 3);
  const receivedCount = w.received.length;
  w.send(appendWithSafePoint(attempt, form));
  await w.waitFor('append.ack', () => true, receivedCount);
  expect(await savedOf(attempt)).toEqual([form]);
};

describe('a safe point sent before its events does not replace a newer one', () => {
  it('when a gateway reads it late, from a socket that the worker has left', async () => {
    const w = harness.worker();
    const attempt = await startAttempt(w);
    const sendLate = w.bindSend();
    await continues(w, attempt, harness.replica().url);
    for (let round = 0; round < 2; round += 1) {
      const receivedCount = w.received.length;
      sendLate(appendWithSafePoint(attempt, portal));
      expect(await w.waitFor('append.ack', () => true, receivedCount)).toMatchObject({ ...attempt, sequence: 3 });
      expect(await savedOf(attempt)).toEqual([form]);
    }
    // A read-only step updates the stored safe point.
    w.append(attempt, [stepCompletedMessage(1), stepStartedMessage(2)], { safePoint: { step: 3 } });
    await w.waitFor('append.ack', ({ sequence: n }) => n === 5);
    expect(await savedOf(attempt)).toEqual([{ step: 3, state: 'the form' }]);
    expect(w.received.filter(({ type }) => type === 'attempt.lost' || type === 'rejected')).toEqual([]);
  });

  describe('when PostgreSQL receives it late', () => {
    const database = useProxiedDatabase(harness);

    it('from a gateway whose connection hung', async () => {
      const replica = harness.replica(database.pool);
      await Promise.all([harness.lifecycle.sweeper.stop(), replica.lifecycle.sweeper.stop()]);
      const w = harness.worker(1, replica.url);
      const attempt = await startAttempt(w);
      database.proxy.hang();
      w.send(appendWithSafePoint(attempt, portal));
      await continues(w, attempt, harness.url);
      const receivedCount = w.received.length;
      database.proxy.flow();
      expect(await w.waitFor('append.ack', () => true, receivedCount)).toMatchObject({ ...attempt, sequence: 3 });
      expect(await savedOf(attempt)).toEqual([form]);
    });
  });
});
