import type { ModelRequest, ModelRole } from '@pilothouse/contract/model/model.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { readEventsAfter, ModelSpendStore } from '@pilothouse/infra-db';
import type { ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { createModelRateLimit } from '@pilothouse/model';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { startScriptedModels } from '../../testing/models.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';

/*
 * Tests hedged calls before either is sent. They wait for the rate limit of the API key, or for the monthly budget of the project.
 */
describe('a hedged call', () => {
  const harness = useGatewayHarness();
  const HEDGED = { use: ['gemini/gemini-2.5-flash', 'openai/gpt-5-mini'], hedgeMs: 100 };
  const REPLY = { text: 'Here', usage: { input: 40, output: 10 } };
  let server: ModelServer;
  let w: ProtocolWorker;
  let attempt: Attempt;
  let id = 0;

  beforeAll(async () => {
    server = await startScriptedModels(harness);
  });
  afterAll(() => server.close());

  beforeEach(async () => {
    server.requests.length = 0;
    await configure({ default: HEDGED });
    w = harness.worker();
    await w.connect();
    attempt = await w.acceptAssignment(await harness.submit());
  });
  afterEach(() => {
    harness.turn = undefined;
  });

  const configure = (models: object, month: object | null = null) =>
    harness.pool.query('UPDATE project SET models = $2, budgets = $3 WHERE id = $1', [
      harness.project,
      JSON.stringify(models),
      JSON.stringify({ month }),
    ]);
  function send(role: ModelRole = 'act', timeoutMs = 120_000): number {
    id += 1;
    const request: ModelRequest = {
      role,
      prompt: { name: 'act.text', version: 2 },
      system: 'Press what has to be pressed',
      messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
    };
    w.send({ type: 'model.request', id, ...attempt, step: 0, request, timeoutMs });
    return id;
  }
  const responseTo = async (requestId: number) =>
    (await w.waitFor('model.response', (message) => message.id === requestId)).answer.text;

  /** Sets the waits for the rate limit. @param waitOf milliseconds until the next call of an endpoint; null: beyond its deadline */
  function pace(waitOf: (endpoint: string, maxWaitMs: number) => Promise<number | null>): string[] {
    const usedEndpoints: string[] = [];
    const waitTurn = (name: string, { maxWaitMs }: { maxWaitMs: number }) => {
      const endpoint = name.replace(/:.*/, '');
      usedEndpoints.push(endpoint);
      return waitOf(endpoint, maxWaitMs);
    };
    const { endpoints } = harness.models;
    harness.turn = createModelRateLimit({
      turns: { acquire: waitTurn },
      perMinute: 10,
      endpoints,
      clock: systemClock,
      log: harness.log,
    });
    return usedEndpoints;
  }

  /** Recorded usage of the run and of its project. */
  async function onRecord() {
    const events = await readEventsAfter(harness.pool, attempt.run, 0);
    const { rows } = await harness.pool.query<{ calls: number; tokens: number; holds: number }>(
      `SELECT used_calls AS calls, used_tokens::int AS tokens,
        (SELECT count(*)::int FROM model_spend_reservation h WHERE h.project_id = run.project_id AND h.tokens > 0) AS holds FROM run WHERE id = $1`,
      [attempt.run],
    );
    const { tokens, reserved: held } = await new ModelSpendStore(harness.pool).read(harness.project);
    const callEvents = events.filter(({ type }) => type === 'model.called');
    return { callEvents: callEvents.map(({ data }) => data['finish']), ...rows[0], month: tokens, held: held.tokens };
  }
  const once = { callEvents: ['stop'], calls: 1, tokens: 50, holds: 0, month: 50, held: 0 };

  it('is not started while the first one waits for its rate limit', async () => {
    await configure({ default: HEDGED, plan: { ...HEDGED, use: ['openai/gpt-5-mini'] } });
    const turn = Promise.withResolvers<number>();
    const usedEndpoints = pace(async (endpoint) => (endpoint === 'gemini' ? turn.promise : 0));
    const isFirst = () => server.requests.filter(({ protocol }) => protocol === 'openai').length === 1;
    server.policy = ({ protocol }) => (protocol === 'openai' && isFirst() ? { hangs: true } : REPLY);
    const requestId = send();
    await until('it waits for its turn', () => usedEndpoints.length === 1);
    // A later call with the same delay and no rate limit was hedged already, and both calls are recorded.
    expect(await responseTo(send('plan'))).toBe('Here');
    expect(usedEndpoints).toEqual(['gemini', 'openai', 'openai']);
    turn.resolve(0);
    expect(await responseTo(requestId)).toBe('Here');
  });

  it('is charged once when the first call answers while the second waits for its rate limit', async () => {
    const usedEndpoints = pace(async (endpoint) => (endpoint === 'openai' ? 60_000 : 0));
    server.policy = async () => {
      await until('the second waits for its turn', () => usedEndpoints.includes('openai'));
      return REPLY;
    };
    expect(await responseTo(send())).toBe('Here');
    expect(server.requests).toHaveLength(1);
    expect(await onRecord()).toEqual(once);
  });

  it('releases its reservation when the first call answers while it waits for one', async () => {
    await configure({ default: HEDGED }, { tokens: 100_000 });
    const holding = await harness.pool.connect();
    const waiting = async (count: number) => {
      const locks = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await harness.pool.query(locks)).rowCount === count;
    };
    const turns: string[] = [];
    harness.turn = async (endpoint) => {
      turns.push(endpoint);
      if (endpoint !== 'gemini') return;
      // The first call has its reservation, and the hedge delay has not started.
      await holding.query('BEGIN');
      await holding.query('SELECT FROM model_spend WHERE project_id = $1 FOR UPDATE', [harness.project]);
    };
    server.policy = async () => {
      await until('the second waits for room', () => waiting(1));
      return REPLY;
    };
    try {
      const requestId = send();
      await until('the usage of the first call waits to be written', () => waiting(2));
      await holding.query('COMMIT');
      expect(await responseTo(requestId)).toBe('Here');
    } finally {
      holding.release(true);
    }
    expect(turns).toEqual(['gemini']);
    expect(await onRecord()).toEqual(once);
  });

  it('uses no budget when its deadline passes while it waits', async () => {
    pace(async (_, maxWaitMs) => {
      const since = performance.now();
      await until('its time is over', () => performance.now() - since > maxWaitMs);
      return null;
    });
    const requestId = send('act', 500);
    const { error } = await w.waitFor('rejected', (message) => message.id === requestId);
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(await onRecord()).toEqual({ callEvents: [], calls: 0, tokens: 0, holds: 0, month: 0, held: 0 });
  });
});
