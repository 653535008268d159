import { randomUUID } from 'node:crypto';
import {
  WORKER_PROTOCOL,
  type Attempt,
  type ModelRequest,
  type MonthBudget,
  type ProjectModels,
  type ModelRequestMessage,
} from '@pilothouse/contract';
import { systemClock } from '@pilothouse/core';
import { readEventsAfter, ModelSpendStore } from '@pilothouse/infra-db';
import { until, type ModelServer } from '@pilothouse/testing';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import { startScriptedModels } from '../../testing/models.fixture.ts';
import {
  stepCompletedMessage,
  stepStartedMessage,
  type ProtocolWorker,
} from '../../testing/protocol-worker.fixture.ts';

/*
 * Tests model requests over real worker sockets. Scripted models answer the real SDKs over HTTP.
 */
describe('model calls through the gateway', () => {
  const harness = useGatewayHarness();
  let server: ModelServer;
  let id = 0;

  beforeAll(async () => {
    const overrides = { 'groq/llama-*': { dialect: 'aura' as const, price: { input: 1, output: 2 } } };
    server = await startScriptedModels(harness, { overrides, fallback: { use: ['gemini/gemini-2.5-flash'] } });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    server.policy = undefined;
  });

  const request: ModelRequest = {
    role: 'act',
    prompt: { name: 'act.text', version: 2 },
    system: 'A secret prompt',
    messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
    maxTokens: 100,
  };

  interface Holder {
    one: ProtocolWorker;
    attempt: Attempt;
  }

  async function holder(more: Parameters<typeof harness.submit>[0] = {}, one = harness.worker()): Promise<Holder> {
    await one.connect();
    const run = await harness.submit(more);
    return { one, attempt: await one.acceptAssignment(run) };
  }

  function send({ one, attempt }: Holder, more: Partial<ModelRequestMessage> = {}, timeoutMs = 30_000): number {
    id += 1;
    one.send({ type: 'model.request', id, ...attempt, step: 0, request: { ...request, ...more }, timeoutMs });
    return id;
  }
  const answered = ({ one }: Holder, asked: number) => one.waitFor('model.response', (message) => message.id === asked);
  const refused = async ({ one }: Holder, asked: number) =>
    (await one.waitFor('rejected', (message) => message.id === asked)).error;
  const ask = async (who: Holder, more: Partial<ModelRequestMessage> = {}) =>
    (await answered(who, send(who, more))).answer;
  const fail = async (who: Holder, more: Partial<ModelRequestMessage> = {}) => refused(who, send(who, more));

  const say = (models: ProjectModels) =>
    harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [harness.project, JSON.stringify(models)]);
  const usage = async ({ attempt }: Holder) =>
    (
      await harness.pool.query(
        'SELECT used_calls AS calls, used_tokens::int AS tokens, used_usd AS usd FROM run WHERE id = $1',
        [attempt.run],
      )
    ).rows[0];
  const called = async ({ attempt }: Holder) =>
    (await readEventsAfter(harness.pool, attempt.run, 0)).filter(({ type }) => type === 'model.called');

  it('answers the holder of the run, and records the usage', async () => {
    const who = await holder();
    server.next({ text: 'Press the button.', usage: { input: 1000, output: 100 } });
    expect(await ask(who)).toMatchObject({ text: 'Press the button.', finish: 'stop', provider: 'gemini' });
    expect(server.requests[0]).toMatchObject({
      key: 'key-of-gemini',
      model: 'gemini-2.5-flash',
      system: 'A secret prompt',
    });
    const usd = (1000 * 0.3 + 100 * 2.5) / 1e6;
    const [event, ...more] = await called(who);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      epoch: who.attempt.epoch,
      data: {
        step: 0,
        role: 'act',
        provider: 'gemini',
        model: 'gemini-2.5-flash',
        prompt: { name: 'act.text', version: 2 },
        inputTokens: 1000,
        outputTokens: 100,
        cachedTokens: 0,
        finish: 'stop',
      },
    });
    expect(event?.data.usd).toBeCloseTo(usd, 10);
    expect(JSON.stringify(event)).not.toMatch(/secret prompt|Press the button|What next/);
    expect(await usage(who)).toEqual({ calls: 1, tokens: 1100, usd: expect.closeTo(usd, 10) });
  });

  it('accepts further events of the attempt, interleaved with events of the gateway', async () => {
    const who = await holder();
    who.one.append(who.attempt, [stepStartedMessage(0)]);
    await who.one.waitFor('append.ack', ({ sequence: n }) => n === 1);
    server.next({ text: 'Yes' });
    await ask(who);
    who.one.append(who.attempt, [stepCompletedMessage(0)]);
    await who.one.waitFor('append.ack', ({ sequence: n }) => n === 2);
    const types = (await readEventsAfter(harness.pool, who.attempt.run, 0)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['step.started', 'model.called', 'step.completed']);
  });

  it('calls the models of the role in order, the next one when the first is unavailable', async () => {
    await say({
      default: { use: ['openai/gpt-5-mini'], maxTokens: 50 },
      vision: { use: ['gemini/first', 'openai/second'] },
    });
    const who = await holder();
    server.policy = ({ model }) => (model === 'first' ? { status: 503 } : { text: model });
    expect(await ask(who)).toMatchObject({ text: 'gpt-5-mini', provider: 'openai' });
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 50 });
    expect(await ask(who, { role: 'vision' })).toMatchObject({ text: 'second', model: 'second', usd: null });
    expect(server.requests.map(({ model }) => model)).toEqual(['gpt-5-mini', 'first', 'first', 'second']);
    expect((await called(who)).map(({ data }) => [data.role, data.model])).toEqual([
      ['act', 'gpt-5-mini'],
      ['vision', 'second'],
    ]);
  });

  it('calls named endpoints with their keys, and applies the prices of the installation', async () => {
    await say({ default: { use: ['groq/away', 'work/claude-haiku-4-5'] }, plan: { use: ['groq/llama-4'] } });
    const who = await holder();
    server.policy = ({ model }) =>
      model === 'away' ? { status: 503 } : { text: model, usage: { input: 1000, output: 100 } };
    expect(await ask(who)).toMatchObject({ provider: 'work', model: 'claude-haiku-4-5', usd: expect.closeTo(0.0015) });
    expect(await ask(who, { role: 'plan' })).toMatchObject({ provider: 'groq', usd: expect.closeTo(0.0012) });
    expect(server.requests.map(({ protocol, key }) => [protocol, key])).toEqual([
      ['openai', 'key-of-groq'],
      ['openai', 'key-of-groq'],
      ['anthropic', 'key-of-work'],
      ['openai', 'key-of-groq'],
    ]);
    expect((await called(who)).map(({ data }) => [data.provider, data.tier])).toEqual([
      ['work', 'text'],
      ['groq', 'replan'],
    ]);
    const [failed] = (await readEventsAfter(harness.pool, who.attempt.run, 0)).filter(({ type }) => type === 'run.log');
    expect(failed).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^groq\/away gave no answer in \d+ ms: groq\/away answered HTTP 503/),
      data: {
        facts: { model: 'groq/away', role: 'act', tier: 'text', code: 'MODEL_UNAVAILABLE', ms: expect.any(Number) },
      },
    });
    await say({ default: { use: ['grok/llama-4'] } });
    expect((await fail(who)).message).toContain('gemini, openai, groq, work');
  });

  it('requests actions in the mode of the model or the project', async () => {
    const act = { name: 'click', description: 'Clicks', parameters: { type: 'object', properties: {} } };
    await say({
      default: { use: ['groq/llama-4'] },
      vision: { use: ['groq/any'], dialect: 'deskpilot', temperature: 0.7 },
    });
    const who = await holder();
    server.policy = () => ({ text: 'BROWSER_CLICK(3)' });
    expect(await ask(who, { tools: [act], temperature: 0 })).toMatchObject({ dialect: 'aura', calls: [] });
    expect(await ask(who, { role: 'vision', tools: [act], temperature: 0 })).toMatchObject({ dialect: 'deskpilot' });
    expect(server.requests.map(({ tools, body }) => [tools, body['temperature']])).toEqual([
      [[], 0],
      [[], 0.7],
    ]);
    expect((await called(who)).map(({ data }) => data.dialect)).toEqual(['aura', 'deskpilot']);
  });

  it('rejects a call of an attempt that does not hold the run', async () => {
    const who = await holder();
    const later = { ...who, attempt: { ...who.attempt, epoch: who.attempt.epoch + 1 } };
    expect(await fail(later)).toMatchObject({ code: 'LEASE_LOST' });
    // The gateway of this worker does not know it yet.
    await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [who.attempt.run]);
    expect(await fail(who)).toMatchObject({ code: 'LEASE_LOST' });
    expect(server.requests).toHaveLength(0);
  });

  it('counts a paid call although the run was lost meanwhile, and returns no answer', async () => {
    const who = await holder();
    server.policy = async () => {
      await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [who.attempt.run]);
      return { text: 'Too late', usage: { input: 10, output: 5 } };
    };
    expect(await fail(who)).toMatchObject({ code: 'LEASE_LOST' });
    expect(await usage(who)).toMatchObject({ calls: 1, tokens: 15 });
    expect(await called(who)).toHaveLength(1);
  });

  it('counts it in a run that has ended, without an event', async () => {
    const who = await holder();
    server.policy = async () => {
      who.one.append(who.attempt, [], { outcome: { status: 'completed', output: {} } });
      await harness.whenStatus(who.attempt.run, 'completed');
      return { text: 'Too late', usage: { input: 10, output: 5 } };
    };
    expect(await fail(who)).toMatchObject({ code: 'LEASE_LOST' });
    expect(await usage(who)).toMatchObject({ calls: 1, tokens: 15 });
    expect(await called(who)).toEqual([]);
  });

  it('makes no call that could exceed the token budget', async () => {
    const who = await holder({ budget: { tokens: 1_000 } });
    server.policy = () => ({ text: 'Yes', usage: { input: 500, output: 300 } });
    await ask(who);
    expect(await fail(who, { maxTokens: 300 })).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      details: { limit: 1_000, used: 800, unit: 'tokens' },
    });
    await ask(who, { maxTokens: 100 });
    expect(server.requests).toHaveLength(2);
  });

  it('makes no two concurrent calls that together could exceed it', async () => {
    const who = await holder({ budget: { tokens: 700 } });
    server.policy = () => ({ text: 'Yes', usage: { input: 500, output: 100 } });
    const [first, second] = [send(who, { maxTokens: 300 }), send(who, { maxTokens: 300 })];
    await answered(who, first);
    expect(await refused(who, second)).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { used: 600 } });
    expect(server.requests).toHaveLength(1);
  });

  it('makes no call that could exceed the dollar budget, or without a known price', async () => {
    await say({ plan: { use: ['openai/home-made'] } });
    const who = await holder({ budget: { usd: 0.001 } });
    server.policy = () => ({ text: 'Yes', usage: { input: 1_000, output: 200 } });
    await ask(who);
    expect(await fail(who)).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { limit: 0.001, unit: 'usd' } });
    expect((await fail(who, { role: 'plan' })).message).toContain('price of the model is not known');
    expect(server.requests).toHaveLength(1);
  });

  it('does not wait for earlier calls longer than its own deadline', async () => {
    const who = await holder({ budget: { tokens: 100_000 } });
    server.next({ hangs: true });
    const first = send(who);
    await until('the first is made', () => server.requests.length === 1);
    const second = send(who, {}, 200);
    expect(await refused(who, second)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
    expect(who.one.received.filter((one) => one.type === 'rejected' && one.id === first)).toEqual([]);
  });

  describe('the monthly budget of a project', () => {
    const may = (month: MonthBudget) =>
      harness.pool.query('UPDATE project SET budgets = $2 WHERE id = $1', [harness.project, JSON.stringify({ month })]);
    const spent = () => new ModelSpendStore(harness.pool).read(harness.project);
    const rows = async () => {
      const counted = `SELECT (SELECT count(*)::int FROM model_spend_reservation WHERE project_id = $1) AS holds,
        (SELECT count(*)::int FROM model_spend WHERE project_id = $1) AS months`;
      return (await harness.pool.query<{ holds: number; months: number }>(counted, [harness.project])).rows[0];
    };

    it('counts usage with and without a limit', async () => {
      const who = await holder();
      server.policy = () => ({ text: 'Yes', usage: { input: 1000, output: 100 } });
      await ask(who);
      await may({ tokens: 10_000 });
      await ask(who);
      const usd = expect.closeTo((2 * (1000 * 0.3 + 100 * 2.5)) / 1e6, 10);
      expect(await spent()).toMatchObject({ tokens: 2200, usd, reserved: { tokens: 0, usd: expect.closeTo(0, 10) } });
    });

    it('cannot be exceeded, over all replicas and concurrent calls', async () => {
      // Budget for one and a half calls.
      await may({ tokens: 400 });
      const [one, other] = [await holder(), await holder({}, harness.workerElsewhere())];
      const waiting: (() => void)[] = [];
      server.policy = () =>
        new Promise((resolve) => waiting.push(() => resolve({ text: 'Yes', usage: { input: 40, output: 10 } })));
      const more = { maxTokens: 200 };
      const asked = [one, other].map((who) => ({ who, id: send(who, more) }));
      await until('one is made', () => waiting.length === 1);
      const isRefused = ({ who }: { who: Holder }) => who.one.received.some(({ type }) => type === 'rejected');
      const late = await until('the other is refused', () => asked.find(isRefused) ?? null);
      expect(await refused(late.who, late.id)).toMatchObject({
        code: 'BUDGET_EXCEEDED',
        retry: 'no',
        message: expect.stringMatching(/may take 400 tokens of models in \d{4}-\d\d.*An admin of the project/),
        details: { limit: 400, unit: 'tokens', of: 'project' },
      });
      expect((await spent()).reserved.tokens).toBeGreaterThan(200);
      waiting[0]?.();
      for (const { who, id } of asked.filter((call) => call !== late)) await answered(who, id);
      expect(server.requests).toHaveLength(1);
      expect(await spent()).toMatchObject({ tokens: 50, reserved: { tokens: 0 } });
      // An unused reservation is available again.
      server.policy = () => ({ text: 'Yes', usage: { input: 40, output: 10 } });
      await ask(one, more);
      expect((await spent()).tokens).toBe(100);
    });

    it('releases the reservation of a failed call', async () => {
      await may({ tokens: 400 });
      const who = await holder();
      server.policy = () => ({ status: 401, message: 'No such key' });
      expect((await fail(who)).code).toBe('MODEL_NOT_CONFIGURED');
      expect(await spent()).toMatchObject({ tokens: 0, reserved: { tokens: 0 } });
      expect(await rows()).toEqual({ holds: 0, months: 1 });
    });

    it('writes nothing for a failed call without a limit', async () => {
      const who = await holder();
      server.policy = () => ({ status: 401, message: 'No such key' });
      expect((await fail(who)).code).toBe('MODEL_NOT_CONFIGURED');
      expect(await rows()).toEqual({ holds: 0, months: 0 });
    });

    it('releases the reservation of a dead gateway', async () => {
      const month = { tokens: 400 };
      await may(month);
      const months = new ModelSpendStore(harness.pool);
      const within = (ms: number) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });
      // An expired reservation and an active one.
      await months.reserve(randomUUID(), harness.project, month, { tokens: 300, usd: 0 }, within(-300_000));
      expect((await spent()).reserved.tokens).toBe(0);
      expect(
        await months.reserve(randomUUID(), harness.project, month, { tokens: 250, usd: 0 }, within(60_000)),
      ).not.toBeNull();
      expect(
        await months.reserve(randomUUID(), harness.project, month, { tokens: 250, usd: 0 }, within(60_000)),
      ).toBeNull();
      expect((await spent()).reserved.tokens).toBe(250);
    });

    it('in dollars rejects calls of unknown price', async () => {
      await may({ usd: 5 });
      await say({ plan: { use: ['openai/home-made'] } });
      const who = await holder();
      expect((await fail(who, { role: 'plan' })).message).toContain('price of the model is not known');
      expect(server.requests).toHaveLength(0);
    });

    it('starts again with the next month', async () => {
      await may({ tokens: 400 });
      await harness.pool.query(
        `INSERT INTO model_spend (project_id, month, tokens) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month', 400)`,
        [harness.project],
      );
      const who = await holder();
      server.next({ text: 'Yes', usage: { input: 40, output: 10 } });
      await ask(who);
      expect((await spent()).tokens).toBe(50);
    });
  });

  it('rejects blocked and invalid answers, and records both', async () => {
    const who = await holder();
    server.next({ finish: 'safety', usage: { input: 10, output: 0 } });
    expect(await fail(who)).toMatchObject({ code: 'MODEL_REFUSED', retry: 'no' });
    server.next({ text: 'no JSON', usage: { input: 20, output: 3 } });
    expect(await fail(who, { schema: { type: 'object' } })).toMatchObject({ code: 'MODEL_INVALID' });
    expect((await called(who)).map(({ data, level }) => [data.finish, level])).toEqual([
      ['safety', 'info'],
      ['invalid', 'warn'],
    ]);
    expect(await usage(who)).toMatchObject({ calls: 2, tokens: 33 });
  });

  it('names the missing setting when a model or key is not configured', async () => {
    await say({ default: { use: ['anthropic/claude-haiku-4-5'] } });
    const who = await holder();
    expect(await fail(who)).toMatchObject({
      code: 'MODEL_NOT_CONFIGURED',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    await harness.pool.query('UPDATE project SET models = NULL WHERE id = $1', [harness.project]);
    server.next({ text: 'Yes' });
    await ask(who);
  });

  it('logs neither keys nor prompts nor answers', async () => {
    const who = await holder();
    server.next({ status: 500, message: 'Out of order' }, { text: 'A secret answer' });
    await ask(who);
    server.next({ status: 401, message: 'Incorrect API key provided: key-of-gemini' });
    expect((await fail(who)).message).not.toContain('key-of');
    const lines = JSON.stringify(harness.log.lines);
    expect(lines).toContain('Out of order');
    expect(lines).not.toMatch(/key-of|secret prompt|What next|secret answer/);
  });

  it('does not wait longer than the worker does', async () => {
    const who = await holder();
    // Not `next`: on a slow machine the deadline may pass before the call arrives, and the next one would hang.
    server.policy = () => ({ hangs: true });
    await until('a call has come', async () => {
      const asked = send(who, {}, 50);
      expect(await refused(who, asked)).toMatchObject({ code: 'MODEL_UNAVAILABLE', retry: 'no' });
      return server.requests.length > 0;
    });
    await until('the call is closed', () => server.open === 0);
    // The provider may have processed the prompt.
    expect((await new ModelSpendStore(harness.pool).read(harness.project)).tokens).toBeGreaterThan(0);
  });

  it('makes no call whose deadline passed while it waited for the previous one', async () => {
    const who = await holder({ budget: { tokens: 10_000 } });
    let answer = () => {};
    server.policy = () => new Promise((resolve) => (answer = () => resolve({ text: 'Yes' })));
    const first = send(who);
    await until('it is asked', () => server.requests.length === 1);
    const second = send(who, {}, 50);
    const since = performance.now();
    await until('nobody waits for the second', () => performance.now() - since > 500);
    answer();
    await answered(who, first);
    expect(await refused(who, second)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
  });

  it('answers a request of a broken connection on the next one, with one model call', async () => {
    const who = await holder();
    let answer = () => {};
    server.policy = () => new Promise((resolve) => (answer = () => resolve({ text: 'Here' })));
    const asked = send(who);
    await until('it is asked', () => server.requests.length === 1);
    who.one.disconnect();
    await who.one.connect([who.attempt], 0);
    who.one.send({ type: 'model.request', id: asked, ...who.attempt, step: 0, request, timeoutMs: 30_000 });
    answer();
    expect((await answered(who, asked)).answer.text).toBe('Here');
    expect(server.requests).toHaveLength(1);
    expect(await usage(who)).toMatchObject({ calls: 1 });
  });

  it('returns the answer only to the holder of the run', async () => {
    const who = await holder();
    server.next({ text: 'Here' });
    const asked = send(who);
    await answered(who, asked);
    const other = harness.worker();
    await other.connect();
    other.send({ type: 'model.request', id: asked, ...who.attempt, step: 0, request, timeoutMs: 30_000 });
    expect(await refused({ ...who, one: other }, asked)).toMatchObject({ code: 'LEASE_LOST' });
  });

  describe('images on the bulk channel', () => {
    const image = (text: string) => ({
      image: { contentType: 'image/jpeg' as const, data: Buffer.from(text).toString('base64') },
    });
    type Parts = ModelRequestMessage['messages'][number]['parts'];
    const about = (...parts: Parts) => ({ messages: [{ role: 'user' as const, parts }] });

    /** Opens a bulk channel of a worker. @param session claimed session */
    async function openBulkChannel({ one }: Holder, session = one.session ?? ''): Promise<ProtocolWorker> {
      const second = harness.worker();
      await second.open();
      second.send({ type: 'bulk.hello', protocol: WORKER_PROTOCOL, session });
      return second;
    }

    it('are accepted from the holder of the run; a received image is then sent by reference', async () => {
      const who = await holder();
      const second = { ...who, one: await openBulkChannel(who) };
      server.policy = () => ({ text: 'A button.' });
      await ask(second, about(image('one')));
      await ask(second, about({ sentImage: 0 }, image('two')));
      await ask(second, about({ sentImage: 1 }));
      const [one, two] = [Buffer.from('one'), Buffer.from('two')];
      expect(server.requests.map(({ images }) => images)).toEqual([[one], [one, two], [two]]);
      expect(await usage(who)).toMatchObject({ calls: 3 });
      expect(await fail(second, about({ sentImage: 7 }))).toMatchObject({ code: 'PROTOCOL_INVALID' });
    });

    it('are rejected from a worker of another fleet, whose bulk channel is closed', async () => {
      const who = await holder();
      const own = await openBulkChannel(who);
      const { id, name } = harness.fleet;
      const other = { ...harness.fleet, id: randomUUID(), name: `f-${randomUUID().slice(0, 8)}` };
      await harness.pool.query(
        `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects)
         SELECT $2, $3, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects FROM fleet WHERE id = $1`,
        [id, other.id, other.name],
      );
      Object.assign(harness, { fleet: other });
      const stranger = await openBulkChannel(who);
      Object.assign(harness, { fleet: { ...other, id, name } });
      expect(await stranger.waitFor('rejected')).toMatchObject({ error: { code: 'FORBIDDEN' } });
      await until('it is closed', () => stranger.isClosed);
      // The socket of the worker itself stays open.
      server.policy = () => ({ text: 'A button.' });
      await ask({ ...who, one: own }, about(image('one')));
      expect(await usage(who)).toMatchObject({ calls: 1 });
    });

    it('are rejected from a worker without the run, or with an unknown session', async () => {
      const who = await holder();
      const other = harness.worker();
      await other.connect();
      for (const one of [await openBulkChannel({ ...who, one: other }), await openBulkChannel(who, randomUUID())])
        expect(await fail({ ...who, one }, about(image('one')))).toMatchObject({ code: 'LEASE_LOST' });
      expect(server.requests).toEqual([]);
    });

    it('are sent only to models that accept images', async () => {
      const who = await holder();
      const second = { ...who, one: await openBulkChannel(who) };
      await say({ vision: { use: ['openai/o3-mini', 'openai/gpt-5-mini'] }, verify: { use: ['openai/o3-mini'] } });
      server.next({ text: 'A button.' });
      await ask(second, { role: 'vision', ...about(image('one')) });
      expect(server.requests.map(({ model }) => model)).toEqual(['gpt-5-mini']);
      expect(await fail(second, { role: 'verify', ...about({ sentImage: 0 }) })).toMatchObject({
        code: 'MODEL_NOT_CONFIGURED',
        message: expect.stringContaining('takes images'),
      });
    });

    it('are the only content; a new bulk channel of the session replaces the previous one', async () => {
      const who = await holder();
      const first = await openBulkChannel(who);
      first.send({ type: 'ready', freeSlots: 3 });
      expect(await first.waitFor('rejected')).toMatchObject({ error: { code: 'PROTOCOL_INVALID' } });
      server.policy = () => ({ text: 'Here' });
      const second = await openBulkChannel(who);
      await until('the first is closed', () => first.isClosed);
      expect(await ask({ ...who, one: second }, about(image('one')))).toMatchObject({ text: 'Here' });
    });
  });

  it('allows four concurrent calls per run', async () => {
    const who = await holder();
    const waiting: (() => void)[] = [];
    server.policy = () => new Promise((resolve) => waiting.push(() => resolve({ text: 'Here' })));
    const asked = Array.from({ length: 5 }, () => send(who));
    expect(await refused(who, asked[4] ?? 0)).toMatchObject({ code: 'RATE_LIMITED', retry: 'same-request' });
    await until('four are asked', () => waiting.length === 4);
    for (const answer of waiting) answer();
    for (const one of asked.slice(0, 4)) await answered(who, one);
    server.policy = () => ({ text: 'Again' });
    expect(await ask(who)).toMatchObject({ text: 'Again' });
  });

  it('abandons calls when the gateway closes, so that another one repeats them', async () => {
    const who = await holder();
    server.next({ hangs: true }, { text: 'Here' });
    const asked = send(who);
    await until('it is asked', () => server.requests.length === 1);
    await harness.closeGateway();
    await until('the call is closed', () => server.open === 0);
    harness.openGateway();
    await who.one.connect([who.attempt], 0);
    who.one.send({ type: 'model.request', id: asked, ...who.attempt, step: 0, request, timeoutMs: 30_000 });
    expect((await answered(who, asked)).answer.text).toBe('Here');
    expect(who.one.received.filter(({ type }) => type === 'rejected')).toEqual([]);
    expect(await usage(who)).toMatchObject({ calls: 1 });
  });

  it('hedges if configured: the first answer wins, and both calls are recorded', async () => {
    await say({ default: { use: ['gemini/gemini-2.5-flash', 'openai/gpt-5-mini'], hedgeMs: 100 } });
    const who = await holder();
    // Identified by model: on a slow machine the second call may arrive first.
    server.policy = ({ model }) =>
      model.startsWith('gemini') ? { hangs: true } : { text: 'From the second', usage: { input: 1000, output: 100 } };
    expect(await ask(who)).toMatchObject({ text: 'From the second', provider: 'openai' });
    await until('the first call is closed', () => server.open === 0);
    // The order of the records of the answered and the abandoned call is undefined.
    const events = (await called(who)).sort((a) => (a.data['provider'] === 'openai' ? -1 : 1));
    expect(events.map(({ data }) => [data['provider'], data['finish'], data['outputTokens']])).toEqual([
      ['openai', 'stop', 100],
      ['gemini', 'superseded', 0],
    ]);
    const [first, second] = events.map(({ data }) => Number(data['usd']));
    const tokens = 1100 + Number(events[1]?.data['inputTokens']);
    expect(await usage(who)).toEqual({ calls: 2, tokens, usd: expect.closeTo((first ?? NaN) + (second ?? NaN), 10) });
    expect(second).toBeGreaterThan(0);
  });

  it('does not hedge when both calls could exceed the budget', async () => {
    await say({ default: { use: ['gemini/gemini-2.5-flash'], hedgeMs: 100 } });
    const who = await holder({ budget: { tokens: 200 } });
    server.next({ hangs: true });
    const asked = send(who, {}, 4_000);
    expect(await refused(who, asked)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
    expect(await usage(who)).toEqual({ calls: 0, tokens: 0, usd: 0 });
  });
});
