import { setTimeout as pause } from 'node:timers/promises';
import { readEventsAfter, ModelSpendStore } from '@pilothouse/infra-db';
import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { startScriptedModels } from '../../testing/models.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';
import { useProxiedDatabase } from '../../testing/connected-workers.fixture.ts';

/*
 * Tests model calls through a gateway whose connection to PostgreSQL breaks. It breaks before the call, during the
 * write of its usage, or before the acknowledgement of that write.
 */
const harness = useGatewayHarness();
const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'act.text', version: 2 },
  system: 'Press what has to be pressed',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};

describe('a model call during an outage of PostgreSQL', () => {
  let server: ModelServer;
  const database = useProxiedDatabase(harness);
  let w: ProtocolWorker;
  let attempt: Attempt;

  beforeAll(async () => {
    server = await startScriptedModels(harness, { fallback: { use: ['openai/gpt-5-mini'] } });
  });
  afterAll(() => server.close());

  beforeEach(async () => {
    server.requests.length = 0;
    const replica = harness.replica(database.pool);
    await Promise.all([harness.lifecycle.sweeper.stop(), replica.lifecycle.sweeper.stop()]);
    w = harness.worker(1, replica.url);
    await w.connect();
    attempt = await w.acceptAssignment(await harness.submit());
    await harness.whenAccepted(attempt.run);
  });
  const sendRequest = () => w.send({ type: 'model.request', id: 1, ...attempt, step: 0, request, timeoutMs: 30_000 });
  const answer = async () => {
    const response = await until('it is answered', () =>
      w.received.find(({ type }) => type === 'model.response' || type === 'rejected'),
    );
    return response.type === 'model.response' ? response.answer.text : response;
  };

  const onRecord = async () => {
    const { rows } = await harness.pool.query(
      'SELECT used_calls AS calls, used_tokens::int AS tokens FROM run WHERE id = $1',
      [attempt.run],
    );
    const events = await readEventsAfter(harness.pool, attempt.run, 0);
    return {
      run: rows[0] as unknown,
      events: events.filter(({ type }) => type === 'model.called').length,
      month: (await new ModelSpendStore(harness.pool).read(harness.project)).tokens,
      calls: server.requests.length,
    };
  };
  const once = { run: { calls: 1, tokens: 50 }, events: 1, month: 50, calls: 1 };
  const reply = { text: 'Here', usage: { input: 40, output: 10 } };

  it('starts once the context of the run can be read again', async () => {
    server.policy = () => reply;
    database.proxy.hang();
    sendRequest();
    await until('it reads the context of the run', database.isWaiting);
    database.proxy.resetConnections();
    expect(await answer()).toBe('Here');
    expect(await onRecord()).toEqual(once);
  });

  it.each([
    ['of a project without a budget', null],
    ['in the budget of its project', { tokens: 100_000 }],
  ])('reserves budget for a call %s once, and records its usage later', async (_, month) => {
    await harness.pool.query('UPDATE project SET budgets = $2 WHERE id = $1', [
      harness.project,
      JSON.stringify({ month }),
    ]);
    server.policy = () => {
      database.proxy.hang();
      return reply;
    };
    sendRequest();
    await until('it is asked', () => server.requests.length === 1);
    await until('its usage waits to be written', database.isWaiting);
    database.proxy.resetConnections();
    expect(await answer()).toBe('Here');
    expect(await onRecord()).toEqual(once);
    expect((await new ModelSpendStore(harness.pool).read(harness.project)).reserved).toEqual({ tokens: 0, usd: 0 });
  });

  it('does not call a second model while the record of the first answer is delayed', async () => {
    const models = { default: { use: ['openai/gpt-5-mini'], hedgeMs: 300 } };
    await harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [harness.project, JSON.stringify(models)]);
    server.policy = () => {
      database.proxy.hang();
      return reply;
    };
    sendRequest();
    await until('its usage waits to be written', () => server.requests.length === 1 && database.isWaiting());
    // The absence of a call can only be observed by waiting.
    await pause(3 * models.default.hedgeMs);
    database.proxy.resetConnections();
    expect(await answer()).toBe('Here');
    expect(await onRecord()).toEqual(once);
  });

  it('starts no hedged call before the context can be read again', async () => {
    const models = { default: { use: ['openai/gpt-5-mini'], hedgeMs: 300 } };
    await harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [harness.project, JSON.stringify(models)]);
    // The context of the first call is known, and the hedge delay has not started.
    harness.turn = async () => {
      harness.turn = undefined;
      database.proxy.hang();
    };
    server.policy = () => (server.requests.length === 1 ? { hangs: true } : reply);
    sendRequest();
    await until('the first call is sent', () => server.requests.length > 0);
    await until('it reads the context of the run again', database.isWaiting);
    expect(server.requests).toHaveLength(1);
    database.proxy.resetConnections();
    expect(await answer()).toBe('Here');
    expect(await onRecord()).toMatchObject({ run: { calls: 2 }, events: 2, calls: 2 });
  });

  it('counts a write with a lost acknowledgement once', async () => {
    server.policy = () => reply;
    const holding = await harness.pool.connect();
    try {
      await holding.query('BEGIN');
      await holding.query('SELECT FROM run WHERE id = $1 FOR UPDATE', [attempt.run]);
      sendRequest();
      await until('the write waits for the row', async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await harness.pool.query(waiting)).rowCount === 1;
      });
      database.proxy.mute();
      await holding.query('COMMIT');
    } finally {
      holding.release();
    }
    await until('it is written', async () => (await onRecord()).events === 1);
    database.proxy.resetConnections();
    expect(await answer()).toBe('Here');
    expect(await onRecord()).toEqual(once);
  });
});
