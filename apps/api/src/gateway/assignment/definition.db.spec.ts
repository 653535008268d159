import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import {
  stepCompletedMessage,
  stepStartedMessage,
  type ProtocolWorker,
} from '../../testing/protocol-worker.fixture.ts';
import { useProxiedDatabase } from '../../testing/connected-workers.fixture.ts';

const harness = useGatewayHarness();

const question: RunQuestion = {
  step: 0,
  id: null,
  reason: 'Step 1 may have run before',
  choices: [{ choice: 'retry', title: 'It did not' }],
};

describe('the workflow of a run whose next write follows a reconnect', () => {
  const database = useProxiedDatabase(harness);

  it.each<[string, Parameters<ProtocolWorker['append']>[2]]>([
    ['awaiting_user', { question }],
    ['completed', { outcome: { status: 'completed', output: {} } }],
  ])('is read again after a failure: %s', async (status, extra) => {
    const w = harness.worker();
    await w.connect();
    const run = await harness.submit();
    const attempt = await w.acceptAssignment(run);
    await harness.whenAccepted(run);
    w.disconnect();
    const { url, lifecycle } = harness.replica(database.pool);
    await Promise.all([harness.lifecycle.sweeper.stop(), lifecycle.sweeper.stop()]);
    w.url = url;
    await w.connect([attempt], 0);
    await until('nothing is asked', database.isIdle);
    database.proxy.hang();
    w.append(attempt, [stepStartedMessage(0), stepCompletedMessage(0)], extra);
    await until('the workflow is read', database.isWaiting);
    database.proxy.resetConnections();
    await w.waitFor('append.ack', ({ sequence: n }) => n === 2);
    expect(await harness.statusOf(run)).toMatchObject({ status, epoch: 1 });
    expect(w.received.filter(({ type }) => type === 'rejected')).toEqual([]);
  });
});
