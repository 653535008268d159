import type { RunView } from '@pilothouse/contract/run/run.schema';
import { call, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { findRed, startCanvasSite } from '@pilothouse/testing/canvas-site/canvas-site';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { Stack } from './harness/stack.ts';

/*
 * Runs goals through the complete product: REST, gateway, worker, Chromium and the SDK of a provider. The scripted
 * model sees only the prompt.
 */
describe('a goal', () => {
  let stack: Stack;
  let models: ModelServer;
  let policy: ScriptedPolicy;

  beforeAll(async () => {
    models = await startModels();
    models.policy = ({ model, system, text, tools }) => {
      const calls = policy(new ParsedPrompt(`${system}\n${text.trimEnd()}`));
      if (model !== 'plain') return { text: 'As the policy says', calls };
      if (tools.length > 0) return { status: 400, message: 'plain does not support tools' };
      const actions = calls.map(({ name, args }) => (name === 'act' ? args : { action: name, ...(args as object) }));
      return { text: JSON.stringify({ thought: 'As the policy says', actions }) };
    };
    stack = await Stack.start({
      workers: 2,
      api: {
        PILOTHOUSE_MODEL: 'gemini/policy',
        // compile.spec.ts takes answers whole.
        PILOTHOUSE_MODEL_STREAMING: 'true',
        GEMINI_API_KEY: 'key-of-gemini',
        GEMINI_BASE_URL: models.url,
        OPENAI_API_KEY: 'key-of-openai',
        OPENAI_BASE_URL: `${models.url}/v1`,
        ANTHROPIC_API_KEY: 'key-of-anthropic',
        ANTHROPIC_BASE_URL: models.url,
        PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify({ ollama: { baseUrl: `${models.url}/v1` } }),
      },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await models?.close();
  });
  beforeEach(() => void models.requests.splice(0));

  const waiting = (id: string) =>
    until('it asks', async () => {
      const run = await stack.client.run(id);
      return run.status === 'awaiting_user' ? run : null;
    });
  const answer = (id: string, body: object) =>
    stack.client.json(`/v1/runs/${id}/answer`, { method: 'POST', body }) as Promise<RunView>;

  /** Logs in to the portal and finds a rope. */
  const finder: ScriptedPolicy = (prompt) => {
    const password = prompt.maybe(/textbox "Password"/);
    if (password !== undefined)
      return [
        call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
        call('type', { element: password, text: '{{inputs.password}}' }),
        call('click', { element: prompt.element(/button "Log in"/) }),
      ];
    const [, sku] = /row (\S+) \| (?:\[\d+\] link ")?Mooring rope/.exec(prompt.page) ?? [];
    if (/for “mooring rope”/.test(prompt.page) && sku)
      return [call('done', { answer: { sku }, title_or_url: 'Catalogue', indicators: ['for “mooring rope”'] })];
    const search = prompt.element(/combobox "Search products"/);
    return /"Search products" = /.test(prompt.page)
      ? [call('press', { key: 'Enter', element: search })]
      : [call('type', { element: search, text: 'mooring rope' })];
  };
  const find = () => ({
    definition: {
      name: 'find-rope',
      inputs: { password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${stack.site.url}/login` },
        {
          id: 'found',
          action: 'goal',
          goal: `Log in as ${DEMO_ACCOUNT.email} with {{inputs.password}} and find a mooring rope.`,
          outputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
          expect: { url: '/catalogue' },
        },
      ],
      output: '{{steps.found.value}}',
    },
    inputs: { password: DEMO_ACCOUNT.password },
    capture: { screenshots: 'none' },
  });

  const set = (models: object | null) =>
    stack.client.json('/v1/projects/current', { method: 'PATCH', body: { models } });
  /** Coordinate as UI-TARS 1.5 reports it: in pixels of an image whose sides are multiples of 28. */
  const pixel = (coordinate: number, side: number) => Math.round((coordinate / 1000) * Math.round(side / 28) * 28);

  test.each([
    ['gemini/policy', undefined],
    ['ollama/UI-TARS-1.5-7B', 'ui-tars-1.5'],
  ])('clicks elements of a canvas by screenshot, with %s', async (model, dialect) => {
    const canvas = await startCanvasSite();
    const usual = models.policy;
    models.policy = ({ system, images }) => {
      // A separate request before each of the two clicks.
      if (system.includes('State what a click at the center')) return { text: '{"what":"A red square","kind":"none"}' };
      if (system.includes('You verify the work')) return { text: '{"verdict":"success","why":"It is green"}' };
      const [now] = images.slice(-1);
      const pixels = now && pixelsOf(now);
      const sail = pixels && findRed(pixels);
      if (pixels && dialect) {
        const sailPosition = sail && `${pixel(sail.x, pixels.width)} ${pixel(sail.y, pixels.height)}`;
        return {
          text: `Thought: A sail.\nAction: ${sailPosition ? `click(point='<point>${sailPosition}</point>')` : "finished(content='')"}`,
        };
      }
      const end = call('done', { title_or_url: 'Regatta', indicators: [] });
      return { text: 'As it is seen', calls: [sail ? call('click', { ...sail, what: 'A sail' }) : end] };
    };
    try {
      await set({ default: { use: [model] } });
      const steps = [
        { action: 'navigate', url: canvas.url },
        { id: 'sails', action: 'goal', goal: 'Click on both sails' },
      ];
      const { id } = await stack.client.submit({
        definition: { name: 'regatta', steps },
        capture: { screenshots: 'none' },
      });
      expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed', usage: { calls: 6 } });
      expect((await stack.client.steps(id)).map(({ tier }) => tier)).toEqual(['replay', 'vision']);
      expect(canvas.requests.map((request) => request.slice(0, 9))).toEqual(['POST /hit', 'POST /hit']);
      expect(models.requests.map(({ images }) => images.length)).toEqual([1, 1, 2, 1, 3, 2]);
      expect(models.requests.map(({ tools }) => tools.length > 0)).toEqual([
        !dialect,
        false,
        !dialect,
        false,
        !dialect,
        false,
      ]);
      const modelCalls = (await stack.client.events(id)).filter(({ type }) => type === 'model.called');
      expect(modelCalls.map(({ data }) => data['dialect'])).toEqual([
        dialect,
        undefined,
        dialect,
        undefined,
        dialect,
        undefined,
      ]);
    } finally {
      await set(null);
      models.policy = usual;
      await canvas.close();
    }
  });

  test('is submitted by REST; events are ordered, and no model request contains a secret', async () => {
    policy = finder;
    const { id } = await stack.client.submit(find());
    const run = await stack.client.waitForEnd(id);
    expect(run).toMatchObject({ status: 'completed', output: { sku: expect.stringMatching(/^RL-\d+$/) } });
    expect((await stack.client.steps(id)).map(({ action, status, tier }) => [action, status, tier])).toEqual([
      ['navigate', 'completed', 'replay'],
      ['goal', 'completed', 'text'],
    ]);
    expect(run.steps).toEqual({ total: 2, modelFree: 1, retries: 0 });
    expect(run.tiers).toMatchObject([
      { tier: 'replay', steps: 1, calls: 0, tokens: 0 },
      { tier: 'text', steps: 1, calls: models.requests.length, tokens: run.usage.tokens },
    ]);
    const events = await stack.client.events(id);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'model.called')).toHaveLength(models.requests.length);
    expect(types.filter((type) => type === 'agent.turn')).toHaveLength(models.requests.length);
    // Every action was durable before it had an outcome.
    const actions = events.filter(({ type }) => type === 'agent.action_started' || type === 'agent.action_completed');
    expect(actions.map(({ type, data }) => `${type} ${String(data['sequence'])}`)).toEqual(
      [1, 2, 3, 4, 5].flatMap((n) => [`agent.action_started ${n}`, `agent.action_completed ${n}`]),
    );
    expect(events.find(({ type }) => type === 'model.called')).toMatchObject({
      data: {
        step: 1,
        role: 'act',
        tier: 'text',
        provider: 'gemini',
        model: 'policy',
        prompt: { name: 'act-text', version: 10 },
      },
    });
    expect((await stack.site.ledger('login')).at(-1)).toMatchObject({ detail: { ok: true } });
    // The login page shows the password: no model and no store receives it.
    expect(models.requests.length).toBeGreaterThan(2);
    for (const { body } of models.requests) expect(JSON.stringify(body)).not.toContain(DEMO_ACCOUNT.password);
    for (const [coordinate, text] of Object.entries(await stack.dumpStoredData()))
      expect([coordinate, text.includes(DEMO_ACCOUNT.password)]).toEqual([coordinate, false]);
  });

  test('with `trace: full` model requests and responses are stored as files, without the secret', async () => {
    policy = finder;
    const { id } = await stack.client.submit({ ...find(), capture: { screenshots: 'none', trace: 'full' } });
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    const traces = (await stack.client.artifacts(id)).filter(({ kind }) => kind === 'trace');
    const traceIds = (await stack.client.events(id)).flatMap(({ type, data }) =>
      type === 'model.called' ? [data['trace']] : [],
    );
    expect(traceIds).toHaveLength(models.requests.length);
    expect(new Set(traces.map((trace) => trace.id))).toEqual(new Set(traceIds));
    const texts = await Promise.all(traces.map(async ({ url }) => (await fetch(url)).text()));
    for (const text of texts) {
      expect(JSON.parse(text)).toMatchObject({ request: { role: 'act' }, answer: { model: 'policy' } });
      expect(text).not.toContain(DEMO_ACCOUNT.password);
    }
    expect(texts.some((text) => text.includes('{{credential.password}}'))).toBe(true);
  });

  test.each(['openai', 'anthropic'])('works with a model of %s', async (provider) => {
    policy = finder;
    await set({ default: { use: [`${provider}/policy`] } });
    const { id } = await stack.client.submit(find());
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    expect(new Set(models.requests.map(({ protocol }) => protocol))).toEqual(new Set([provider]));
    expect(models.requests.every(({ stream }) => stream)).toBe(true);
    await set(null);
  });

  test('works with an endpoint without function calls: the prompt describes the actions', async () => {
    policy = finder;
    await set({ default: { use: ['ollama/plain'] } });
    const { id } = await stack.client.submit({ ...find(), capture: { screenshots: 'none', trace: 'full' } });
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    const [first, ...laterRequests] = models.requests;
    expect([first?.tools.length, laterRequests.some(({ tools }) => tools.length > 0)]).toEqual([2, false]);
    const modelCalls = (await stack.client.events(id)).filter(({ type }) => type === 'model.called');
    expect(modelCalls.map(({ data }) => [data['provider'], data['dialect']])).toEqual(
      laterRequests.map(() => ['ollama', 'aura']),
    );
    // The stored trace is the sent prompt.
    const traces = (await stack.client.artifacts(id)).filter(({ kind }) => kind === 'trace');
    const texts = await Promise.all(traces.map(async ({ url }) => (await fetch(url)).text()));
    expect(texts).toHaveLength(modelCalls.length);
    for (const text of texts) expect(JSON.parse(text)).toMatchObject({ request: { system: laterRequests[0]?.system } });
    await set(null);
  });

  test('without steps around it returns the answer as output', async () => {
    policy = (prompt) => {
      const [, heading] = /heading (.+)/.exec(prompt.page) ?? [];
      return [
        call('done', {
          answer: heading ?? '',
          title_or_url: prompt.page.split(' ')[0] ?? '',
          indicators: [heading ?? ''],
        }),
      ];
    };
    const { id } = await stack.client.submit({ goal: 'What is the heading?', url: `${stack.site.url}/public/widgets` });
    expect(await stack.client.waitForEnd(id)).toMatchObject({
      status: 'completed',
      output: expect.stringMatching(/\w/),
    });
    expect(models.requests).toHaveLength(1);
  });

  test('asks a person before an order, by text and by choice', async () => {
    policy = (prompt) => {
      if (/declined it \(.*: Too dear/.test(prompt.text)) return [call('fail', { text: 'Too dear' })];
      const color = /A person answered: (\w+)/.exec(prompt.text)?.[1];
      if (color === undefined) return [call('ask', { text: 'Which color?' })];
      return [call('navigate', { url: 'http://order.invalid/pay' })];
    };
    const { id } = await stack.client.submit({ goal: 'Order paint', url: `${stack.site.url}/public/widgets` });
    expect(await waiting(id)).toMatchObject({
      question: { step: 1, questionNumber: 1, reason: 'The agent asks: Which color?' },
    });
    await answer(id, { choice: 'continue', text: 'grey' });
    const secondQuestion = await until('it asks again', async () => {
      const run = await stack.client.run(id);
      return run.question?.questionNumber === 2 ? run : null;
    });
    expect(secondQuestion.question).toMatchObject({ reason: expect.stringContaining('open order.invalid') });
    await answer(id, { choice: 'decline', text: 'Too dear' });
    expect(await stack.client.waitForEnd(id)).toMatchObject({
      status: 'failed',
      error: { code: 'GOAL_FAILED', message: 'Too dear' },
    });
    expect((await stack.client.steps(id)).at(-1)).toMatchObject({ action: 'goal', status: 'failed', tier: 'human' });
    expect((await stack.client.events(id)).filter(({ type }) => type === 'run.answered')).toMatchObject([
      { data: { questionNumber: 1, text: 'grey' } },
      { data: { questionNumber: 2, choice: 'decline', text: 'Too dear' } },
    ]);
  });

  test('is ended by a token budget before the call that could exceed it', async () => {
    policy = finder;
    const { id } = await stack.client.submit({ ...find(), budget: { tokens: 100 } });
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
    expect(models.requests).toEqual([]);
  });

  test('is ended by the monthly budget of the project', async () => {
    const change = (budgets: object | null) =>
      stack.client.json('/v1/projects/current', { method: 'PATCH', body: { budgets } });
    policy = finder;
    await change({ month: { tokens: 100 } });
    const { id } = await stack.client.submit(find());
    expect(await stack.client.waitForEnd(id)).toMatchObject({
      status: 'failed',
      error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('An admin can raise it') },
    });
    await change(null);
    expect(models.requests).toEqual([]);
  });

  test('is restarted after a lost worker; the prompt lists the completed actions', async () => {
    let turns = 0;
    policy = (prompt) => {
      turns += 1;
      return finder(prompt);
    };
    let holder: string | null = null;
    const first = models.policy;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    models.policy = async (request) => {
      // The third turn: the agent is logged in.
      if (turns === 2 && holder === null) {
        holder = (await stack.client.run(id)).worker;
        await stack.workers.find(({ name }) => name === holder)?.kill();
        release();
        return { hangs: true };
      }
      return (await first?.(request)) ?? { status: 400 };
    };
    const { id } = await stack.client.submit(find());
    await released;
    expect(await stack.client.waitForEnd(id, 80_000)).toMatchObject({ status: 'completed', attempts: 2 });
    models.policy = first;
    const recoveryRequests = models.requests.filter(({ text }) => text.includes('The browser was lost here'));
    expect(recoveryRequests.length).toBeGreaterThan(0);
    expect(recoveryRequests[0]?.text).toMatch(/1\. on “Log in.*Click \[\d+\] button "Log in"/);
    for (const { body } of recoveryRequests) expect(JSON.stringify(body)).not.toContain(DEMO_ACCOUNT.password);
  });
});
