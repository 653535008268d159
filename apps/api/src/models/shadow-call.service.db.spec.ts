import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { readEventsAfter, RegistryStore } from '@pilothouse/infra-db';
import type { ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../testing/gateway.fixture.ts';
import { startScriptedModels } from '../testing/models.fixture.ts';

const click = (element: number) => ({
  ...{ calls: [{ name: 'act', args: { action: 'click', element } }], usage: { input: 1_000, output: 10 } },
});

describe('a model in the stage shadow', () => {
  const harness = useGatewayHarness();
  let server: ModelServer;
  let registry: RegistryStore;
  let id = 0;

  beforeAll(async () => {
    const overrides = { 'groq/base': { price: { input: 10, output: 20 } } };
    server = await startScriptedModels(harness, { overrides, fallback: { use: ['gemini/gemini-2.5-flash'] } });
    registry = new RegistryStore(harness.pool);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.requests.length = 0;
    server.policy = () => click(3);
    harness.shadowRandom = () => 0;
    harness.shadowTurn = undefined;
    await harness.pool.query('DELETE FROM registry_model');
    await harness.pool.query(`UPDATE project SET budgets = NULL`);
    await harness.pool.query('DELETE FROM model_spend');
  });

  async function startShadow(shadowPercent = 100, facts: object = {}): Promise<string> {
    const model = randomUUID();
    const body = { name: 'tuned', model: 'groq/tuned', base: 'groq/base', metrics: {}, ...facts };
    await registry.register(model, harness.project, body, null);
    await registry.change(harness.project, body.name, { to: 'shadow', shadowPercent, reason: 'Try it', actor: null });
    return model;
  }

  /** Calls of one run, one after the other. @returns its answers, events and usage, without times */
  async function recordsOf({
    calls = 1,
    tools = [{ name: 'done', description: '', parameters: { type: 'object' } }],
  } = {}) {
    const worker = harness.worker();
    await worker.connect();
    const run = await harness.submit();
    const attempt = await worker.acceptAssignment(run);
    const answers: Record<string, unknown>[] = [];
    for (let call = 0; call < calls; call += 1) {
      id += 1;
      const requestId = id;
      const request = {
        ...{ role: 'act' as const, prompt: { name: 'act-text', version: 2 }, system: '', maxTokens: 100, tools },
        messages: [{ role: 'user' as const, parts: [{ text: 'What next?' }] }],
      };
      worker.send({ type: 'model.request', id: requestId, ...attempt, step: 0, request, timeoutMs: 30_000 });
      const { answer } = await worker.waitFor('model.response', (message) => message.id === requestId);
      answers.push({ ...answer, durationMs: 0 });
    }
    const read = async () => {
      const events = (await readEventsAfter(harness.pool, run, 0)).map(({ type, level, data }) =>
        type === 'model.called' ? { type, level, data: { ...data, durationMs: 0 } } : { type, level },
      );
      const { rows } = await harness.pool.query(
        'SELECT status, used_calls, used_tokens, used_usd, unpriced_calls FROM run WHERE id = $1',
        [run],
      );
      return { answers, events, usage: rows[0] };
    };
    return { run, read };
  }

  const rowsOf = async (model: string) =>
    (await harness.pool.query(`SELECT * FROM registry_shadow WHERE model_id = $1 ORDER BY id`, [model])).rows;
  const recorded = (model: string, count = 1) =>
    until('the record of the call', async () => (await rowsOf(model)).length === count);
  const shadowRequests = () => server.requests.filter(({ model }) => model === 'tuned').length;
  const metric = async (result: string) =>
    Number(
      new RegExp(`registry_shadow_calls_total\\{result="${result}"\\} (\\d+)`).exec(
        (await harness.shadowMetrics.read()).body,
      )?.[1] ?? 0,
    );

  it('is asked the same request, and the agreement of its action is recorded', async () => {
    const model = await startShadow();
    const { run } = await recordsOf();
    await recorded(model);
    expect((await rowsOf(model))[0]).toMatchObject({
      ...{ run_id: run, step: 0, role: 'act', result: 'agreed', same_kind: true, same_target: true, problem: null },
      ...{ base_model: 'gemini/gemini-2.5-flash', input_tokens: 1_000, output_tokens: 10 },
    });
    server.policy = ({ model: name }) => click(name === 'tuned' ? 4 : 3);
    await recordsOf();
    await recorded(model, 2);
    const { stage, shadowPercent, shadow, transitions } = (await registry.read(harness.project, 'tuned'))!;
    expect([stage, shadowPercent]).toEqual(['shadow', 100]);
    expect(shadow).toMatchObject({
      ...{ calls: 2, agreed: 1, disagreed: 1, undetermined: 0, failed: 0, inputTokens: 2_000, outputTokens: 20 },
      ...{ low: expect.closeTo(0.095, 2), high: expect.closeTo(0.905, 2), usd: expect.closeTo(0.0204, 5) },
    });
    expect(transitions[0]).toMatchObject({ from: 'registered', to: 'shadow', shadowPercent: 100, reason: 'Try it' });
    expect([await metric('agreed'), await metric('disagreed')]).toEqual([1, 1]);
  });

  it.each([
    ['hangs', { hangs: true as const }, null],
    ['fails', { status: 503 }, 'MODEL_UNAVAILABLE'],
    ['refuses', { status: 400, message: 'no' }, 'MODEL_REFUSED'],
    ['sends half of an answer', { cut: true as const }, 'MODEL_UNAVAILABLE'],
    [
      'answers without an action',
      { text: 'I do not know.' },
      expect.stringMatching(/^The answer contains no action\. Call a function\./),
    ],
  ])('changes nothing of a run when it %s, and is not asked again', async (_title, reply, problem) => {
    const expected = await (await recordsOf({ calls: 2 })).read();
    const model = await startShadow(100, { dialect: 'calls' });
    server.policy = ({ model: name }) => (name === 'tuned' ? reply : click(3));
    const { read } = await recordsOf({ calls: 2 });
    await until('the shadow calls', () => Promise.resolve(shadowRequests() === 2));
    if (problem !== null) {
      await recorded(model, 2);
      expect((await rowsOf(model)).map((row) => [row.result, row.problem])).toEqual([
        ['failed', problem],
        ['failed', problem],
      ]);
    }
    expect(await read()).toEqual(expected);
    expect(expected.events.filter(({ type }) => type === 'model.called')).toHaveLength(2);
    expect(shadowRequests()).toBe(2);
  });

  it('is not asked while four calls are in progress, and these calls are counted', async () => {
    await startShadow();
    const busy = await metric('busy');
    server.policy = ({ model: name }) => (name === 'tuned' ? { hangs: true } : click(3));
    await recordsOf({ calls: 7 });
    expect((await metric('busy')) - busy).toBeGreaterThanOrEqual(3);
    expect(shadowRequests()).toBeLessThanOrEqual(4);
  });

  it('spends the monthly budget of the project, and is not asked beyond it', async () => {
    const model = await startShadow();
    await harness.pool.query('UPDATE project SET budgets = $1', [JSON.stringify({ month: { tokens: 2_900 } })]);
    await recordsOf();
    await recorded(model);
    const spent = async () =>
      (await harness.pool.query('SELECT tokens::int, reserved_tokens::int FROM model_spend')).rows;
    expect(await spent()).toEqual([{ tokens: 2_020, reserved_tokens: 0 }]);
    server.policy = () => ({ ...click(3), usage: { input: 800, output: 10 } });
    await recordsOf();
    await until('the drop', async () => (await metric('budget')) === 1);
    expect(shadowRequests()).toBe(1);
    expect(await rowsOf(model)).toHaveLength(1);
  });

  it('is asked in its share of the calls', async () => {
    const model = await startShadow(30);
    const randoms = [0.31, 0.29, 0.3, 0];
    harness.shadowRandom = () => randoms.shift()!;
    const runs: string[] = [];
    for (let call = 0; call < 4; call += 1) runs.push((await recordsOf()).run);
    await until('the last call', async () => (await rowsOf(model)).some((row) => row.run_id === runs[3]));
    expect((await rowsOf(model)).map((row) => row.run_id)).toEqual([runs[1], runs[3]]);
    expect([randoms, shadowRequests()]).toEqual([[], 2]);
  });

  it('is asked for next actions of its role only', async () => {
    const verifier = await startShadow(100, { name: 'verifier', role: 'verify' });
    const model = await startShadow(100, { model: 'groq/actor', role: 'act' });
    await recordsOf({ tools: [{ name: 'answer', description: '', parameters: { type: 'object' } }] });
    const { run, read } = await recordsOf();
    await recorded(model);
    expect((await rowsOf(model)).map((row) => row.run_id)).toEqual([run]);
    expect([shadowRequests(), await rowsOf(verifier)]).toEqual([0, []]);
    // The run has the answer of its own model, and does not count for the registered one.
    expect((await read()).answers.map((answer) => answer.model)).toEqual(['gemini-2.5-flash']);
    expect((await harness.pool.query('SELECT FROM registry_run')).rowCount).toBe(0);
  });

  it.each([
    ['a rate limit leaves no call', 'unavailable', () => new PilothouseError('MODEL_UNAVAILABLE', 'No call is left')],
    ['Pilothouse fails', 'error', () => new Error('connection lost')],
  ])('has no failure when %s', async (_title, result, error) => {
    const model = await startShadow();
    const previousCount = await metric(result);
    harness.shadowTurn = () => Promise.reject(error());
    await recordsOf();
    await until('the drop', async () => (await metric(result)) === previousCount + 1);
    harness.shadowTurn = undefined;
    const { run } = await recordsOf();
    await recorded(model);
    expect((await rowsOf(model)).map((row) => [row.run_id, row.result])).toEqual([[run, 'agreed']]);
  });
});
