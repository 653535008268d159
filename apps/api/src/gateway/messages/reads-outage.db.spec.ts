import { randomUUID } from 'node:crypto';
import type { FromWorker } from '@pilothouse/contract/worker/from-worker.messages';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { useProxiedDatabase } from '../../testing/connected-workers.fixture.ts';

const harness = useGatewayHarness();

describe('requests of a run during an outage of PostgreSQL', () => {
  const database = useProxiedDatabase(harness);

  beforeEach(() => {
    harness.secrets = { pin: '4711' };
  });

  /** Answer to a worker whose request coincides with a broken database connection. */
  const responseTo = async (request: object) => {
    const { url, lifecycle } = harness.replica(database.pool);
    await Promise.all([harness.lifecycle.sweeper.stop(), lifecycle.sweeper.stop()]);
    const w = harness.worker(1, url);
    await w.connect();
    const run = await harness.submit({ secretNames: ['pin'], secrets: Buffer.from('sealed') });
    const attempt = await w.acceptAssignment(run);
    await harness.whenAccepted(run);
    await until('nothing is asked', database.isIdle);
    database.proxy.hang();
    w.send({ id: 1, ...attempt, ...request } as FromWorker);
    await until('it is read', database.isWaiting);
    database.proxy.resetConnections();
    return until('it is answered', () => w.received.find((message) => 'id' in message && message.id === 1));
  };

  it('return a secret', async () => {
    const request = { type: 'secret.request', name: 'pin', origin: 'https://bank.test' };
    expect(await responseTo(request)).toMatchObject({ type: 'secret.value', value: '4711' });
  });

  it('return a file, or report that it does not exist', async () => {
    const request = { type: 'file.request', upload: randomUUID() };
    expect(await responseTo(request)).toMatchObject({ type: 'rejected', error: { code: 'NOT_FOUND' } });
  });
});
