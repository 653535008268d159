import { randomUUID } from 'node:crypto';
import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import type { ModelRequest, ModelRequestMessage } from '@pilothouse/contract/model/model.schema';
import type { MonthBudget } from '@pilothouse/contract/run/budget.schema';
import { WORKER_PROTOCOL, type Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { readEventsAfter, ModelSpendStore } from '@pilothouse/infra-db';
import type { ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
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
    worker: ProtocolWorker;
    attempt: Attempt;
  }

  async function createHolder(
    fields: Parameters<typeof harness.submit>[0] = {},
    worker = harness.worker(),
  ): Promise<Holder> {
    await worker.connect();
    const run = await harness.submit(fields);
    return { worker, attempt: await worker.acceptAssignment(run) };
  }

  function send({ worker, attempt }: Holder, fields: Partial<ModelRequestMessage> = {}, timeoutMs = 30_000): number {
    id += 1;
    worker.send({ type: 'model.request', id, ...attempt, step: 0, request: { ...request, ...fields }, timeoutMs });
    return id;
  }
  const responseTo = ({ worker }: Holder, requestId: number) =>
    worker.waitFor('model.response', (message) => message.id === requestId);
  const refusalOf = async ({ worker }: Holder, requestId: number) =>
    (await worker.waitFor('rejected', (message) => message.id === requestId)).error;
  const callModel = async (holder: Holder, fields: Partial<ModelRequestMessage> = {}) =>
    (await responseTo(holder, send(holder, fields))).answer;
  const requestRefused = async (holder: Holder, fields: Partial<ModelRequestMessage> = {}) =>
    refusalOf(holder, send(holder, fields));

  const configure = (models: ProjectModels) =>
    harness.pool.query('UPDATE project SET models = $2 WHERE id = $1', [harness.project, JSON.stringify(models)]);
  const usage = async ({ attempt }: Holder) =>
    (
      await harness.pool.query(
        'SELECT used_calls AS calls, used_tokens::int AS tokens, used_usd AS usd FROM run WHERE id = $1',
        [attempt.run],
      )
    ).rows[0];
  const callEvents = async ({ attempt }: Holder) =>
    (await readEventsAfter(harness.pool, attempt.run, 0)).filter(({ type }) => type === 'model.called');

  it('answers the holder of the run, and records the usage', async () => {
    const holder = await createHolder();
    server.next({ text: 'Press the button.', usage: { input: 1000, output: 100 } });
    expect(await callModel(holder)).toMatchObject({ text: 'Press the button.', finish: 'stop', provider: 'gemini' });
    expect(server.requests[0]).toMatchObject({
      key: 'key-of-gemini',
      model: 'gemini-2.5-flash',
      system: 'A secret prompt',
    });
    const usd = (1000 * 0.3 + 100 * 2.5) / 1e6;
    const [event, ...otherEvents] = await callEvents(holder);
    expect(otherEvents).toEqual([]);
    expect(event).toMatchObject({
      epoch: holder.attempt.epoch,
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
    expect(await usage(holder)).toEqual({ calls: 1, tokens: 1100, usd: expect.closeTo(usd, 10) });
  });

  it('accepts further events of the attempt, interleaved with events of the gateway', async () => {
    const holder = await createHolder();
    holder.worker.append(holder.attempt, [stepStartedMessage(0)]);
    await holder.worker.waitFor('append.ack', ({ sequence: n }) => n === 1);
    server.next({ text: 'Yes' });
    await callModel(holder);
    holder.worker.append(holder.attempt, [stepCompletedMessage(0)]);
    await holder.worker.waitFor('append.ack', ({ sequence: n }) => n === 2);
    const types = (await readEventsAfter(harness.pool, holder.attempt.run, 0)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['step.started', 'model.called', 'step.completed']);
  });

  it('calls the model of the run instead of those of the project', async () => {
    await configure({ default: { use: ['openai/gpt-5-mini'], maxTokens: 50 } });
    const holder = await createHolder({ model: 'work/claude' });
    server.policy = ({ model }) => ({ text: model });
    expect(await callModel(holder)).toMatchObject({ text: 'claude', provider: 'work' });
    expect(await callModel(holder, { role: 'verify' })).toMatchObject({ text: 'claude' });
  });

  it('calls the models of the role in order, the next one when the first is unavailable', async () => {
    await configure({
      default: { use: ['openai/gpt-5-mini'], maxTokens: 50 },
      vision: { use: ['gemini/first', 'openai/second'] },
    });
    const holder = await createHolder();
    server.policy = ({ model }) => (model === 'first' ? { status: 503 } : { text: model });
    expect(await callModel(holder)).toMatchObject({ text: 'gpt-5-mini', provider: 'openai' });
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 50 });
    expect(await callModel(holder, { role: 'vision' })).toMatchObject({ text: 'second', model: 'second', usd: null });
    expect(server.requests.map(({ model }) => model)).toEqual(['gpt-5-mini', 'first', 'first', 'second']);
    expect((await callEvents(holder)).map(({ data }) => [data.role, data.model])).toEqual([
      ['act', 'gpt-5-mini'],
      ['vision', 'second'],
    ]);
  });

  it('calls named endpoints with their keys, and applies the prices of the installation', async () => {
    await configure({ default: { use: ['groq/away', 'work/claude-haiku-4-5'] }, plan: { use: ['groq/llama-4'] } });
    const holder = await createHolder();
    server.policy = ({ model }) =>
      model === 'away' ? { status: 503 } : { text: model, usage: { input: 1000, output: 100 } };
    expect(await callModel(holder)).toMatchObject({
      provider: 'work',
      model: 'claude-haiku-4-5',
      usd: expect.closeTo(0.0015),
    });
    expect(await callModel(holder, { role: 'plan' })).toMatchObject({ provider: 'groq', usd: expect.closeTo(0.0012) });
    expect(server.requests.map(({ protocol, key }) => [protocol, key])).toEqual([
      ['openai', 'key-of-groq'],
      ['openai', 'key-of-groq'],
      ['anthropic', 'key-of-work'],
      ['openai', 'key-of-groq'],
    ]);
    expect((await callEvents(holder)).map(({ data }) => [data.provider, data.tier])).toEqual([
      ['work', 'text'],
      ['groq', 'replan'],
    ]);
    const [logEvent] = (await readEventsAfter(harness.pool, holder.attempt.run, 0)).filter(
      ({ type }) => type === 'run.log',
    );
    expect(logEvent).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^groq\/away failed after \d+ ms: groq\/away answered HTTP 503/),
      data: {
        facts: { model: 'groq/away', role: 'act', tier: 'text', code: 'MODEL_UNAVAILABLE', ms: expect.any(Number) },
      },
    });
    await configure({ default: { use: ['grok/llama-4'] } });
    expect((await requestRefused(holder)).message).toContain('gemini, openai, groq, work');
  });

  it('requests actions in the mode of the model or the project', async () => {
    const act = { name: 'click', description: 'Clicks', parameters: { type: 'object', properties: {} } };
    await configure({
      default: { use: ['groq/llama-4'] },
      vision: { use: ['groq/any'], dialect: 'deskpilot', temperature: 0.7 },
    });
    const holder = await createHolder();
    server.policy = () => ({ text: 'BROWSER_CLICK(3)' });
    expect(await callModel(holder, { tools: [act], temperature: 0 })).toMatchObject({ dialect: 'aura', calls: [] });
    expect(await callModel(holder, { role: 'vision', tools: [act], temperature: 0 })).toMatchObject({
      dialect: 'deskpilot',
    });
    expect(server.requests.map(({ tools, body }) => [tools, body['temperature']])).toEqual([
      [[], 0],
      [[], 0.7],
    ]);
    expect((await callEvents(holder)).map(({ data }) => data.dialect)).toEqual(['aura', 'deskpilot']);
  });

  it('rejects a call of an attempt that does not hold the run', async () => {
    const holder = await createHolder();
    const later = { ...holder, attempt: { ...holder.attempt, epoch: holder.attempt.epoch + 1 } };
    expect(await requestRefused(later)).toMatchObject({ code: 'LEASE_LOST' });
    // The gateway of this worker does not know it yet.
    await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [holder.attempt.run]);
    expect(await requestRefused(holder)).toMatchObject({ code: 'LEASE_LOST' });
    expect(server.requests).toHaveLength(0);
  });

  it('counts a paid call although the run was lost meanwhile, and returns no answer', async () => {
    const holder = await createHolder();
    server.policy = async () => {
      await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [holder.attempt.run]);
      return { text: 'Too late', usage: { input: 10, output: 5 } };
    };
    expect(await requestRefused(holder)).toMatchObject({ code: 'LEASE_LOST' });
    expect(await usage(holder)).toMatchObject({ calls: 1, tokens: 15 });
    expect(await callEvents(holder)).toHaveLength(1);
  });

  it('counts it in a run that has ended, without an event', async () => {
    const holder = await createHolder();
    server.policy = async () => {
      holder.worker.append(holder.attempt, [], { outcome: { status: 'completed', output: {} } });
      await harness.whenStatus(holder.attempt.run, 'completed');
      return { text: 'Too late', usage: { input: 10, output: 5 } };
    };
    expect(await requestRefused(holder)).toMatchObject({ code: 'LEASE_LOST' });
    expect(await usage(holder)).toMatchObject({ calls: 1, tokens: 15 });
    expect(await callEvents(holder)).toEqual([]);
  });

  it('makes no call that could exceed the token budget', async () => {
    const holder = await createHolder({ budget: { tokens: 1_000 } });
    server.policy = () => ({ text: 'Yes', usage: { input: 500, output: 300 } });
    await callModel(holder);
    expect(await requestRefused(holder, { maxTokens: 300 })).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      details: { limit: 1_000, used: 800, unit: 'tokens' },
    });
    await callModel(holder, { maxTokens: 100 });
    expect(server.requests).toHaveLength(2);
  });

  it('makes no two concurrent calls that together could exceed it', async () => {
    const holder = await createHolder({ budget: { tokens: 700 } });
    server.policy = () => ({ text: 'Yes', usage: { input: 500, output: 100 } });
    const [first, second] = [send(holder, { maxTokens: 300 }), send(holder, { maxTokens: 300 })];
    await responseTo(holder, first);
    expect(await refusalOf(holder, second)).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { used: 600 } });
    expect(server.requests).toHaveLength(1);
  });

  it('makes no call that could exceed the dollar budget, or without a known price', async () => {
    await configure({ plan: { use: ['openai/home-made'] } });
    const holder = await createHolder({ budget: { usd: 0.001 } });
    server.policy = () => ({ text: 'Yes', usage: { input: 1_000, output: 200 } });
    await callModel(holder);
    expect(await requestRefused(holder)).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      details: { limit: 0.001, unit: 'usd' },
    });
    expect((await requestRefused(holder, { role: 'plan' })).message).toMatch(/price of \S+ is unknown\. Set `price`/);
    expect(server.requests).toHaveLength(1);
  });

  it('does not wait for earlier calls longer than its own deadline', async () => {
    const holder = await createHolder({ budget: { tokens: 100_000 } });
    server.next({ hangs: true });
    const first = send(holder);
    await until('the first is made', () => server.requests.length === 1);
    const second = send(holder, {}, 200);
    expect(await refusalOf(holder, second)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
    expect(holder.worker.received.filter((message) => message.type === 'rejected' && message.id === first)).toEqual([]);
  });

  describe('the monthly budget of a project', () => {
    const may = (month: MonthBudget) =>
      harness.pool.query('UPDATE project SET budgets = $2 WHERE id = $1', [harness.project, JSON.stringify({ month })]);
    const readSpend = () => new ModelSpendStore(harness.pool).read(harness.project);
    const rows = async () => {
      const countQuery = `SELECT (SELECT count(*)::int FROM model_spend_reservation WHERE project_id = $1) AS holds,
        (SELECT count(*)::int FROM model_spend WHERE project_id = $1) AS months`;
      return (await harness.pool.query<{ holds: number; months: number }>(countQuery, [harness.project])).rows[0];
    };

    it('counts usage with and without a limit', async () => {
      const holder = await createHolder();
      server.policy = () => ({ text: 'Yes', usage: { input: 1000, output: 100 } });
      await callModel(holder);
      await may({ tokens: 10_000 });
      await callModel(holder);
      const usd = expect.closeTo((2 * (1000 * 0.3 + 100 * 2.5)) / 1e6, 10);
      expect(await readSpend()).toMatchObject({
        tokens: 2200,
        usd,
        reserved: { tokens: 0, usd: expect.closeTo(0, 10) },
      });
    });

    it('cannot be exceeded, over all replicas and concurrent calls', async () => {
      // Budget for one and a half calls.
      await may({ tokens: 400 });
      const [firstHolder, secondHolder] = [await createHolder(), await createHolder({}, harness.workerElsewhere())];
      const waiting: (() => void)[] = [];
      server.policy = () =>
        new Promise((resolve) => waiting.push(() => resolve({ text: 'Yes', usage: { input: 40, output: 10 } })));
      const fields = { maxTokens: 200 };
      const requests = [firstHolder, secondHolder].map((holder) => ({ holder, id: send(holder, fields) }));
      await until('one is made', () => waiting.length === 1);
      const isRefused = ({ holder }: { holder: Holder }) =>
        holder.worker.received.some(({ type }) => type === 'rejected');
      const refusedCall = await until('the other is refused', () => requests.find(isRefused) ?? null);
      expect(await refusalOf(refusedCall.holder, refusedCall.id)).toMatchObject({
        code: 'BUDGET_EXCEEDED',
        retry: 'no',
        message: expect.stringMatching(/exceeded \(400 tokens in \d{4}-\d\d.*An admin can raise it/),
        details: { limit: 400, unit: 'tokens', of: 'project' },
      });
      expect((await readSpend()).reserved.tokens).toBeGreaterThan(200);
      waiting[0]?.();
      for (const { holder, id } of requests.filter((call) => call !== refusedCall)) await responseTo(holder, id);
      expect(server.requests).toHaveLength(1);
      expect(await readSpend()).toMatchObject({ tokens: 50, reserved: { tokens: 0 } });
      // An unused reservation is available again.
      server.policy = () => ({ text: 'Yes', usage: { input: 40, output: 10 } });
      await callModel(firstHolder, fields);
      expect((await readSpend()).tokens).toBe(100);
    });

    it('releases the reservation of a failed call', async () => {
      await may({ tokens: 400 });
      const holder = await createHolder();
      server.policy = () => ({ status: 401, message: 'No such key' });
      expect((await requestRefused(holder)).code).toBe('MODEL_NOT_CONFIGURED');
      expect(await readSpend()).toMatchObject({ tokens: 0, reserved: { tokens: 0 } });
      expect(await rows()).toEqual({ holds: 0, months: 1 });
    });

    it('writes nothing for a failed call without a limit', async () => {
      const holder = await createHolder();
      server.policy = () => ({ status: 401, message: 'No such key' });
      expect((await requestRefused(holder)).code).toBe('MODEL_NOT_CONFIGURED');
      expect(await rows()).toEqual({ holds: 0, months: 0 });
    });

    it('releases the reservation of a dead gateway', async () => {
      const month = { tokens: 400 };
      await may(month);
      const months = new ModelSpendStore(harness.pool);
      const within = (ms: number) => ({ clock: systemClock, deadline: systemClock.monotonic() + ms });
      // An expired reservation and an active one.
      await months.reserve(randomUUID(), harness.project, month, { tokens: 300, usd: 0 }, within(-300_000));
      expect((await readSpend()).reserved.tokens).toBe(0);
      expect(
        await months.reserve(randomUUID(), harness.project, month, { tokens: 250, usd: 0 }, within(60_000)),
      ).not.toBeNull();
      expect(
        await months.reserve(randomUUID(), harness.project, month, { tokens: 250, usd: 0 }, within(60_000)),
      ).toBeNull();
      expect((await readSpend()).reserved.tokens).toBe(250);
    });

    it('in dollars rejects calls of unknown price', async () => {
      await may({ usd: 5 });
      await configure({ plan: { use: ['openai/home-made'] } });
      const holder = await createHolder();
      expect((await requestRefused(holder, { role: 'plan' })).message).toMatch(/price of \S+ is unknown\. Set `price`/);
      expect(server.requests).toHaveLength(0);
    });

    it('starts again with the next month', async () => {
      await may({ tokens: 400 });
      await harness.pool.query(
        `INSERT INTO model_spend (project_id, month, tokens) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month', 400)`,
        [harness.project],
      );
      const holder = await createHolder();
      server.next({ text: 'Yes', usage: { input: 40, output: 10 } });
      await callModel(holder);
      expect((await readSpend()).tokens).toBe(50);
    });
  });

  it('rejects blocked and invalid answers, and records both', async () => {
    const holder = await createHolder();
    server.next({ finish: 'safety', usage: { input: 10, output: 0 } });
    expect(await requestRefused(holder)).toMatchObject({ code: 'MODEL_REFUSED', retry: 'no' });
    server.next({ text: 'no JSON', usage: { input: 20, output: 3 } });
    expect(await requestRefused(holder, { schema: { type: 'object' } })).toMatchObject({ code: 'MODEL_INVALID' });
    expect((await callEvents(holder)).map(({ data, level }) => [data.finish, level])).toEqual([
      ['safety', 'info'],
      ['invalid', 'warn'],
    ]);
    expect(await usage(holder)).toMatchObject({ calls: 2, tokens: 33 });
  });

  it('names the missing setting when a model or key is not configured', async () => {
    await configure({ default: { use: ['anthropic/claude-haiku-4-5'] } });
    const holder = await createHolder();
    expect(await requestRefused(holder)).toMatchObject({
      code: 'MODEL_NOT_CONFIGURED',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    await harness.pool.query('UPDATE project SET models = NULL WHERE id = $1', [harness.project]);
    server.next({ text: 'Yes' });
    await callModel(holder);
  });

  it('logs neither keys nor prompts nor answers', async () => {
    const holder = await createHolder();
    server.next({ status: 500, message: 'Out of order' }, { text: 'A secret answer' });
    await callModel(holder);
    server.next({ status: 401, message: 'Incorrect API key provided: key-of-gemini' });
    expect((await requestRefused(holder)).message).not.toContain('key-of');
    const lines = JSON.stringify(harness.log.lines);
    expect(lines).toContain('Out of order');
    expect(lines).not.toMatch(/key-of|secret prompt|What next|secret answer/);
  });

  it('does not wait longer than the worker does', async () => {
    const holder = await createHolder();
    // Not `next`: on a slow machine the deadline may pass before the call arrives, and the next one would hang.
    server.policy = () => ({ hangs: true });
    await until('a call has arrived', async () => {
      const requestId = send(holder, {}, 50);
      expect(await refusalOf(holder, requestId)).toMatchObject({ code: 'MODEL_UNAVAILABLE', retry: 'no' });
      return server.requests.length > 0;
    });
    await until('the call is closed', () => server.open === 0);
    // The provider may have processed the prompt.
    expect((await new ModelSpendStore(harness.pool).read(harness.project)).tokens).toBeGreaterThan(0);
  });

  it('makes no call whose deadline passed while it waited for the previous one', async () => {
    const holder = await createHolder({ budget: { tokens: 10_000 } });
    let answer = () => {};
    server.policy = () => new Promise((resolve) => (answer = () => resolve({ text: 'Yes' })));
    const first = send(holder);
    await until('it is asked', () => server.requests.length === 1);
    const second = send(holder, {}, 50);
    const since = performance.now();
    await until('the second call has no waiter', () => performance.now() - since > 500);
    answer();
    await responseTo(holder, first);
    expect(await refusalOf(holder, second)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
  });

  it('answers a request of a broken connection on the next one, with one model call', async () => {
    const holder = await createHolder();
    let answer = () => {};
    server.policy = () => new Promise((resolve) => (answer = () => resolve({ text: 'Here' })));
    const requestId = send(holder);
    await until('it is asked', () => server.requests.length === 1);
    holder.worker.disconnect();
    await holder.worker.connect([holder.attempt], 0);
    holder.worker.send({
      type: 'model.request',
      id: requestId,
      ...holder.attempt,
      step: 0,
      request,
      timeoutMs: 30_000,
    });
    answer();
    expect((await responseTo(holder, requestId)).answer.text).toBe('Here');
    expect(server.requests).toHaveLength(1);
    expect(await usage(holder)).toMatchObject({ calls: 1 });
  });

  it('returns the answer only to the holder of the run', async () => {
    const holder = await createHolder();
    server.next({ text: 'Here' });
    const requestId = send(holder);
    await responseTo(holder, requestId);
    const otherWorker = harness.worker();
    await otherWorker.connect();
    otherWorker.send({ type: 'model.request', id: requestId, ...holder.attempt, step: 0, request, timeoutMs: 30_000 });
    expect(await refusalOf({ ...holder, worker: otherWorker }, requestId)).toMatchObject({ code: 'LEASE_LOST' });
  });

  describe('images on the bulk channel', () => {
    const image = (text: string) => ({
      image: { contentType: 'image/jpeg' as const, data: Buffer.from(text).toString('base64') },
    });
    type MessageParts = ModelRequestMessage['messages'][number]['parts'];
    const withParts = (...parts: MessageParts) => ({ messages: [{ role: 'user' as const, parts }] });

    /** Opens a bulk channel of a worker. @param session claimed session */
    async function openBulkChannel({ worker }: Holder, session = worker.session ?? ''): Promise<ProtocolWorker> {
      const second = harness.worker();
      await second.open();
      second.send({ type: 'bulk.hello', protocol: WORKER_PROTOCOL, session });
      return second;
    }

    it('are accepted from the holder of the run; a received image is then sent by reference', async () => {
      const holder = await createHolder();
      const second = { ...holder, worker: await openBulkChannel(holder) };
      server.policy = () => ({ text: 'A button.' });
      await callModel(second, withParts(image('one')));
      await callModel(second, withParts({ sentImage: 0 }, image('two')));
      await callModel(second, withParts({ sentImage: 1 }));
      const [firstChunk, two] = [Buffer.from('one'), Buffer.from('two')];
      expect(server.requests.map(({ images }) => images)).toEqual([[firstChunk], [firstChunk, two], [two]]);
      expect(await usage(holder)).toMatchObject({ calls: 3 });
      expect(await requestRefused(second, withParts({ sentImage: 7 }))).toMatchObject({ code: 'PROTOCOL_INVALID' });
    });

    it('are rejected from a worker of another fleet, whose bulk channel is closed', async () => {
      const holder = await createHolder();
      const ownChannel = await openBulkChannel(holder);
      const { id, name } = harness.fleet;
      const otherFleet = { ...harness.fleet, id: randomUUID(), name: `f-${randomUUID().slice(0, 8)}` };
      await harness.pool.query(
        `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects)
         SELECT $2, $3, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects FROM fleet WHERE id = $1`,
        [id, otherFleet.id, otherFleet.name],
      );
      Object.assign(harness, { fleet: otherFleet });
      const stranger = await openBulkChannel(holder);
      Object.assign(harness, { fleet: { ...otherFleet, id, name } });
      expect(await stranger.waitFor('rejected')).toMatchObject({ error: { code: 'FORBIDDEN' } });
      await until('it is closed', () => stranger.isClosed);
      // The socket of the worker itself stays open.
      server.policy = () => ({ text: 'A button.' });
      await callModel({ ...holder, worker: ownChannel }, withParts(image('one')));
      expect(await usage(holder)).toMatchObject({ calls: 1 });
    });

    it('are rejected from a worker without the run, or with an unknown session', async () => {
      const holder = await createHolder();
      const otherWorker = harness.worker();
      await otherWorker.connect();
      for (const channel of [
        await openBulkChannel({ ...holder, worker: otherWorker }),
        await openBulkChannel(holder, randomUUID()),
      ])
        expect(await requestRefused({ ...holder, worker: channel }, withParts(image('one')))).toMatchObject({
          code: 'LEASE_LOST',
        });
      expect(server.requests).toEqual([]);
    });

    it('are sent only to models that accept images', async () => {
      const holder = await createHolder();
      const second = { ...holder, worker: await openBulkChannel(holder) };
      await configure({
        vision: { use: ['openai/o3-mini', 'openai/gpt-5-mini'] },
        verify: { use: ['openai/o3-mini'] },
      });
      server.next({ text: 'A button.' });
      await callModel(second, { role: 'vision', ...withParts(image('one')) });
      expect(server.requests.map(({ model }) => model)).toEqual(['gpt-5-mini']);
      expect(await requestRefused(second, { role: 'verify', ...withParts({ sentImage: 0 }) })).toMatchObject({
        code: 'MODEL_NOT_CONFIGURED',
        message: expect.stringContaining('with image input'),
      });
    });

    it('are answered by the next model after a rejection; without one, the error names the cause and the fix', async () => {
      const holder = await createHolder();
      const second = { ...holder, worker: await openBulkChannel(holder) };
      await configure({
        vision: { use: ['groq/blind', 'work/sees'] },
        verify: { use: ['openai/o3-mini', 'work/away'] },
      });
      server.policy = ({ model }) =>
        model === 'sees' ? { text: 'A button.' } : { status: model === 'blind' ? 400 : 503 };
      expect(await callModel(second, { role: 'vision', ...withParts(image('one')) })).toMatchObject({ model: 'sees' });
      const error = await requestRefused(second, { role: 'verify', ...withParts({ sentImage: 0 }) });
      expect(error.code).toBe('MODEL_NOT_CONFIGURED');
      expect(error.message).toMatch(
        /^No model answered a request with images: openai\/o3-mini takes no images; work\/away answered HTTP 503.*for the role "verify"$/,
      );
    });

    it('are the only content; a new bulk channel of the session replaces the previous one', async () => {
      const holder = await createHolder();
      const first = await openBulkChannel(holder);
      first.send({ type: 'ready', freeSlots: 3 });
      expect(await first.waitFor('rejected')).toMatchObject({ error: { code: 'PROTOCOL_INVALID' } });
      server.policy = () => ({ text: 'Here' });
      const second = await openBulkChannel(holder);
      await until('the first is closed', () => first.isClosed);
      expect(await callModel({ ...holder, worker: second }, withParts(image('one')))).toMatchObject({ text: 'Here' });
    });
  });

  it('allows four concurrent calls per run', async () => {
    const holder = await createHolder();
    const waiting: (() => void)[] = [];
    server.policy = () => new Promise((resolve) => waiting.push(() => resolve({ text: 'Here' })));
    const requestIds = Array.from({ length: 5 }, () => send(holder));
    expect(await refusalOf(holder, requestIds[4] ?? 0)).toMatchObject({ code: 'RATE_LIMITED', retry: 'same-request' });
    await until('four are asked', () => waiting.length === 4);
    for (const answer of waiting) answer();
    for (const requestId of requestIds.slice(0, 4)) await responseTo(holder, requestId);
    server.policy = () => ({ text: 'Again' });
    expect(await callModel(holder)).toMatchObject({ text: 'Again' });
  });

  it('abandons calls when the gateway closes, so that another one repeats them', async () => {
    const holder = await createHolder();
    server.next({ hangs: true }, { text: 'Here' });
    const requestId = send(holder);
    await until('it is asked', () => server.requests.length === 1);
    await harness.closeGateway();
    await until('the call is closed', () => server.open === 0);
    harness.openGateway();
    await holder.worker.connect([holder.attempt], 0);
    holder.worker.send({
      type: 'model.request',
      id: requestId,
      ...holder.attempt,
      step: 0,
      request,
      timeoutMs: 30_000,
    });
    expect((await responseTo(holder, requestId)).answer.text).toBe('Here');
    expect(holder.worker.received.filter(({ type }) => type === 'rejected')).toEqual([]);
    expect(await usage(holder)).toMatchObject({ calls: 1 });
  });

  it('hedges if configured: the first answer wins, and both calls are recorded', async () => {
    await configure({ default: { use: ['gemini/gemini-2.5-flash', 'openai/gpt-5-mini'], hedgeMs: 100 } });
    const holder = await createHolder();
    // Identified by model: on a slow machine the second call may arrive first.
    server.policy = ({ model }) =>
      model.startsWith('gemini') ? { hangs: true } : { text: 'From the second', usage: { input: 1000, output: 100 } };
    expect(await callModel(holder)).toMatchObject({ text: 'From the second', provider: 'openai' });
    await until('the first call is closed', () => server.open === 0);
    // The order of the records of the answered and the abandoned call is undefined.
    const events = (await callEvents(holder)).sort((a) => (a.data['provider'] === 'openai' ? -1 : 1));
    expect(events.map(({ data }) => [data['provider'], data['finish'], data['outputTokens']])).toEqual([
      ['openai', 'stop', 100],
      ['gemini', 'superseded', 0],
    ]);
    const [first, second] = events.map(({ data }) => Number(data['usd']));
    const tokens = 1100 + Number(events[1]?.data['inputTokens']);
    expect(await usage(holder)).toEqual({
      calls: 2,
      tokens,
      usd: expect.closeTo((first ?? NaN) + (second ?? NaN), 10),
    });
    expect(second).toBeGreaterThan(0);
  });

  it('does not hedge when both calls could exceed the budget', async () => {
    await configure({ default: { use: ['gemini/gemini-2.5-flash'], hedgeMs: 100 } });
    const holder = await createHolder({ budget: { tokens: 200 } });
    server.next({ hangs: true });
    const requestId = send(holder, {}, 4_000);
    expect(await refusalOf(holder, requestId)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
    expect(await usage(holder)).toEqual({ calls: 0, tokens: 0, usd: 0 });
  });
});
