import { createPool, type Pool } from '@pilothouse/infra-db';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { stepCompletedMessage, stepStartedMessage } from '../../testing/protocol-worker.fixture.ts';

describe('a gateway that stops while PostgreSQL hangs', () => {
  let wire: TcpProxy;
  let pool: Pool;
  // Before its replicas close.
  afterEach(() => wire.flow());
  const harness = useGatewayHarness();

  beforeEach(async () => {
    wire = await startTcpProxy(harness.databaseUrl);
    pool = createPool({ databaseUrl: wire.url, name: 'hung', log: harness.log });
  });

  afterEach(async () => {
    await pool.end();
    await wire.close();
  });

  it('redirects its workers, which continue elsewhere; its claims return to the queue', async () => {
    const { submit, typesOf, statusOf, whenStatus } = harness;
    const { url, gateway, lifecycle } = harness.replica(pool);
    // Fetched jobs are not enqueued again.
    await Promise.all([harness.lifecycle.sweeper.stop(), lifecycle.sweeper.stop()]);
    const w = harness.worker(2, url);
    await w.connect();
    const run = await submit();
    const attempt = await w.acceptAssignment(run);
    await harness.whenAccepted(run);

    wire.hang();
    w.append(attempt, [stepStartedMessage(0)]);
    const claimedRun = await submit();
    // A missing job proves nothing: it may not be in the queue yet.
    await until('it is claimed, while the event waits', () => pool.totalCount - pool.idleCount === 2);
    const closing = gateway.close();
    await w.waitFor('gateway.closing');
    await until('its socket is closed', () => w.isClosed);

    w.url = harness.url;
    const { attempts: resumedAttempts } = await w.connect([attempt], 0);
    expect(resumedAttempts).toEqual([{ ...attempt, sequence: 0 }]);
    w.append(attempt, [stepStartedMessage(0)], {}, 1);
    w.append(attempt, [stepCompletedMessage(0)], { outcome: { status: 'completed', output: {} } });
    await whenStatus(run, 'completed');
    await closing;
    expect(await statusOf(claimedRun)).toMatchObject({ status: 'queued', epoch: 0 });

    // Its claim is executed now; the repeated event already was. The gateway closed its connection after three seconds:
    // the sweeper returns a claim that no worker accepts.
    wire.flow();
    await until('the claim is carried out', async () => (await statusOf(claimedRun))?.status === 'running');
    await harness.pool.query(`UPDATE lease SET claimed_at = now() - interval '1 minute' WHERE run_id = $1`, [
      claimedRun,
    ]);
    harness.replica();
    await until('the claim goes back', async () => (await typesOf(claimedRun)).includes('3 run.requeued'));
    w.send({ type: 'ready', freeSlots: 2 });
    expect(await w.acceptAssignment(claimedRun)).toMatchObject({ epoch: 2 });
    expect(await typesOf(run)).toEqual([
      '1 run.queued',
      '2 run.assigned',
      '3 step.started',
      '4 step.completed',
      '5 run.completed',
    ]);
  });
});
