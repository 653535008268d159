import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import { parseAnswer } from '@pilothouse/core/agent/dialects/read-answer';
import { UnusableAnswerError, type Model } from '@pilothouse/core/ports/model.port';
import { systemClock, type Context } from '@pilothouse/core/ports/runtime.port';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { adapterOf, modelAdapters } from './configured-models.ts';
import { toModelRef, type Provider } from './model-endpoint.ts';
import { withRetry } from './retry-and-breaker.ts';

const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: 'You operate a browser.',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};

const pressTool = {
  name: 'press',
  description: 'Presses a button',
  parameters: { type: 'object', properties: { index: { type: 'integer' } }, required: ['index'] },
};

const answerSchema = {
  type: 'object',
  properties: { done: { type: 'boolean' } },
  required: ['done'],
  additionalProperties: false,
};

const models: Record<Provider, { model: string; path: string; usd: number | null }> = {
  // 1,000 in, of which 400 cached, and 100 out
  gemini: { model: 'gemini-2.5-flash', path: '', usd: (600 * 0.3 + 400 * 0.03 + 100 * 2.5) / 1e6 },
  openai: { model: 'gpt-5-mini', path: '/v1', usd: (600 * 0.25 + 400 * 0.025 + 100 * 2) / 1e6 },
  anthropic: { model: 'claude-haiku-4-5-20251001', path: '', usd: (600 * 1 + 400 * 0.1 + 100 * 5) / 1e6 },
};

const variants = (Object.keys(models) as Provider[]).flatMap((provider) => [
  { provider, delivery: 'whole', stream: false },
  { provider, delivery: 'piece by piece', stream: true },
]);

describe.each(variants)('adapter conformance: $provider, $delivery answers', ({ provider, stream }) => {
  const { model: name, path, usd } = models[provider];
  let server: ModelServer;
  let model: Model;
  const context = (fields: Partial<Context> = {}): Context => ({
    signal: new AbortController().signal,
    deadline: systemClock.monotonic() + 30_000,
    log: memoryLog(),
    ...fields,
  });
  const onlyRequest = () => {
    expect(server.requests).toHaveLength(1);
    return server.requests[0]!;
  };

  beforeEach(async () => {
    server = await startModels();
    const endpoint = { apiKey: 'a-key', baseUrl: server.url + path, headers: { 'x-team': 'harbour' }, stream };
    model = modelAdapters[provider]({ endpoint, model: name, clock: systemClock });
  });
  afterEach(() => server.close());

  test('returns text, usage, and price', async () => {
    server.next({ text: 'Press the button.', usage: { input: 1000, output: 100, cached: 400 } });
    const answer = await model.generate({ ...request, temperature: 0.2, maxTokens: 321 }, context());
    expect(answer).toEqual({
      text: 'Press the button.',
      calls: [],
      finish: 'stop',
      provider,
      model: name,
      usage: { inputTokens: 1000, outputTokens: 100, cachedTokens: 400 },
      usd: expect.closeTo(usd ?? 0, 12),
      durationMs: expect.any(Number),
    });
    expect(onlyRequest()).toMatchObject({ protocol: provider, model: name, key: 'a-key', text: 'What next?' });
    expect(onlyRequest()).toMatchObject({ system: request.system, stream });
    expect(onlyRequest().headers['x-team']).toBe('harbour');
    expect(JSON.stringify(onlyRequest().body)).toContain('321');
  });

  test('reports accumulated partial text if the answer is streamed', async () => {
    const partialTexts: string[] = [];
    server.next({ text: 'Press the button.', calls: [{ name: 'press', args: { index: 5 } }] });
    await model.generate(
      { ...request, tools: [pressTool] },
      { ...context(), onText: (text) => void partialTexts.push(text) },
    );
    expect(partialTexts).toEqual(stream ? ['Press th', 'Press the button.'] : []);
  });

  test('an unknown price is null', async () => {
    const endpoint = { apiKey: 'a-key', baseUrl: server.url + path, stream };
    const unpricedModel = modelAdapters[provider]({ endpoint, model: 'home-made', clock: systemClock });
    server.next({ text: 'Yes' });
    await expect(unpricedModel.generate(request, context())).resolves.toMatchObject({ model: 'home-made', usd: null });
  });

  test('returns function calls and sends their results back', async () => {
    server.next({
      text: 'Pressing.',
      calls: [
        { name: 'press', args: { index: 5 } },
        { name: 'press', args: { index: 6 } },
      ],
    });
    const { text, calls, finish } = await model.generate({ ...request, tools: [pressTool] }, context());
    expect({ text, finish }).toEqual({ text: 'Pressing.', finish: 'calls' });
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual([
      { name: 'press', args: { index: 5 } },
      { name: 'press', args: { index: 6 } },
    ]);
    expect(onlyRequest().tools).toEqual(['press']);
    expect(JSON.stringify(onlyRequest().body)).toContain(JSON.stringify(pressTool.parameters.properties));

    server.next({ text: 'Done.' });
    const messages: ModelRequest['messages'] = [
      ...request.messages,
      { role: 'model', parts: [{ text }, ...calls.map((call) => ({ call }))] },
      {
        role: 'user',
        parts: [
          { text: 'And now?' },
          { result: { name: 'press', value: { pressed: 'five' } } },
          { result: { name: 'press', value: 'six' } },
        ],
      },
    ];
    await model.generate({ ...request, messages, tools: [pressTool] }, context());
    expect(server.requests[1]?.body).toMatchObject(expectedConversations[provider]);
  });

  test('a computer use tool replaces functions for models that have one', async () => {
    const tools = [pressTool, { ...pressTool, name: 'done' }];
    const computer = { surface: 'browser' as const, replaces: ['press'] };
    server.next({ text: 'Yes' }, { calls: [{ name: 'click', args: { x: 500, y: 250 } }] });
    await model.generate({ ...request, tools, computer }, context());
    expect(onlyRequest().tools).toEqual(['press', 'done']);
    expect(JSON.stringify(onlyRequest().body)).not.toContain('omputer');
    if (provider !== 'gemini') return;
    const endpoint = { apiKey: 'a-key', baseUrl: server.url };
    const operator = modelAdapters.gemini({
      endpoint,
      model: 'gemini-2.5-computer-use-preview-10-2025',
      clock: systemClock,
    });
    expect((await operator.generate({ ...request, tools, computer }, context())).calls).toMatchObject([
      { name: 'click', args: { x: 500, y: 250 } },
    ]);
    expect(server.requests[1]).toMatchObject({
      tools: ['done'],
      body: {
        tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }, { functionDeclarations: [{ name: 'done' }] }],
      },
    });
  });

  test('the computer use tool of Gemini follows the surface', async () => {
    if (provider !== 'gemini') return;
    const tools = [pressTool, { ...pressTool, name: 'done' }];
    const toolsOn = async (modelName: string, surface: 'browser' | 'desktop') => {
      server.next({ text: 'Yes' });
      const model = modelAdapters.gemini({
        endpoint: { apiKey: 'a-key', baseUrl: server.url },
        model: modelName,
        clock: systemClock,
      });
      await model.generate({ ...request, surface, tools, computer: { surface, replaces: ['press'] } }, context());
      return (server.requests.at(-1)?.body as { tools: object[] }).tools;
    };
    expect(await toolsOn('gemini-3.5-flash', 'desktop')).toMatchObject([
      {
        computerUse: {
          environment: 'ENVIRONMENT_DESKTOP',
          excludedPredefinedFunctions: ['mouse_down', 'mouse_up', 'key_down', 'key_up'],
        },
      },
      { functionDeclarations: [{ name: 'done' }] },
    ]);
    // The tool of this model knows browsers only.
    expect(await toolsOn('gemini-2.5-computer-use-preview-10-2025', 'desktop')).toMatchObject([
      { functionDeclarations: [{ name: 'press' }, { name: 'done' }] },
    ]);
  });

  /** An adapter with the request adapters of the gateway. */
  const gatewayModel = (modelName: string, entry = {}, clock = systemClock) => {
    const options = {
      endpoint: { apiKey: 'a-key', baseUrl: server.url + path, stream },
      model: modelName,
      clock: systemClock,
    };
    const ref = toModelRef(provider, { ...options, entry });
    return adapterOf(modelAdapters[provider](options), ref, clock);
  };
  const jsonAction = { text: '{"thought": "Five.", "action": "click", "element": 5}' };
  const actionsOf = (answer: Awaited<ReturnType<Model['generate']>>) =>
    parseAnswer(answer, { surface: 'browser', focused: null, image: { width: 1400, height: 700 }, secrets: [] })
      .actions;
  const clickAction = { kind: 'act', action: { action: 'click', target: { elementIndex: 5 } } };

  test('describes actions in the prompt for a model without functions and parses the answer', async () => {
    server.next(jsonAction);
    const answer = await gatewayModel('home-made', { dialect: 'aura' }).generate(
      { ...request, tools: [pressTool] },
      context(),
    );
    expect(onlyRequest().tools).toEqual([]);
    expect(onlyRequest().body).not.toHaveProperty('tools');
    expect(onlyRequest().system).toMatch(
      /^You operate a browser\.\n\nYou cannot call functions\.[^]*- press: Presses a button/,
    );
    expect(answer).toMatchObject({ dialect: 'aura', calls: [] });
    expect(actionsOf(answer)).toEqual([clickAction]);
  });

  test('uses the native dialect of a model, by its name or by the request', async () => {
    const image = { image: { contentType: 'image/jpeg' as const, data: jpeg.toString('base64') } };
    const visionRequest = {
      ...request,
      tools: [pressTool],
      messages: [{ role: 'user' as const, parts: [{ text: 'Buy' }, image] }],
    };
    server.policy = () => ({ text: "Thought: The button.\nAction: click(point='<point>700 70</point>')" });
    const dialectByName = await gatewayModel('UI-TARS-1.5-7B').generate(visionRequest, context());
    const dialectByRequest = await gatewayModel('home-made').generate(
      { ...visionRequest, dialect: 'ui-tars-1.5' },
      context(),
    );
    for (const answer of [dialectByName, dialectByRequest]) {
      expect(answer.dialect).toBe('ui-tars-1.5');
      expect(actionsOf(answer)).toEqual([
        { kind: 'act', action: { action: 'click', target: { point: { x: 500, y: 100 } } } },
      ]);
    }
    for (const { text, system, images, tools } of server.requests) {
      expect(text).toMatch(/^You are a GUI agent\.[^]*\nBuy$/);
      expect([system, images, tools]).toEqual(['', [jpeg], []]);
    }
  });

  test('falls back to a text dialect for a while if the endpoint rejects functions', async () => {
    server.next({ status: 400, message: 'home-made does not support tools' }, jsonAction, jsonAction);
    const log = memoryLog();
    const home = gatewayModel('home-made');
    const tools = [pressTool];
    for (let times = 0; times < 2; times += 1) {
      const answer = await home.generate({ ...request, tools }, context({ log }));
      expect([answer.dialect, actionsOf(answer)]).toEqual(['aura', [clickAction]]);
    }
    expect(server.requests.map((request) => request.tools)).toEqual([['press'], [], []]);
    expect(log.lines).toMatchObject([{ level: 'warn', facts: { model: `${provider}/home-made` } }]);
  });

  test('reports the first rejection if a request is rejected with and without functions', async () => {
    // A compatible endpoint is asked for JSON with a schema, and without.
    const fallbacks = provider === 'openai' ? [0, 0] : [0];
    server.next(
      { status: 400, message: 'The prompt is too long' },
      ...fallbacks.map(() => ({ status: 400, message: 'Still' })),
    );
    const home = gatewayModel('home-made');
    const tools = [pressTool];
    await expect(home.generate({ ...request, tools }, context())).rejects.toMatchObject({
      code: 'MODEL_REFUSED',
      message: expect.stringContaining('The prompt is too long'),
    });
    // A model that has called a function, or is known to, has another reason to reject.
    server.next({ calls: [{ name: 'press', args: {} }] }, { status: 400 });
    await home.generate({ ...request, tools }, context());
    await expect(home.generate({ ...request, tools }, context())).rejects.toMatchObject({ status: 400 });
    server.next({ status: 400 });
    await expect(
      gatewayModel('home-made', { dialect: 'calls' }).generate({ ...request, tools }, context()),
    ).rejects.toMatchObject({ status: 400 });
    expect(server.requests.map((request) => request.tools.length)).toEqual([1, ...fallbacks, 1, 1, 1]);
  });

  test('an answer with a schema is JSON', async () => {
    server.next({ text: '{"done":true}' });
    const { text, finish, calls } = await model.generate({ ...request, schema: answerSchema }, context());
    expect([JSON.parse(text), finish, calls]).toEqual([{ done: true }, 'stop', []]);
    expect(JSON.stringify(onlyRequest().body)).toContain('"done":{"type":"boolean"}');
  });

  test('an unusable answer has the dialect of its request', async () => {
    server.next({ raw: '<html>Welcome to the proxy</html>' });
    await expect(
      gatewayModel('home-made', { dialect: 'aura' }).generate({ ...request, tools: [pressTool] }, context()),
    ).rejects.toMatchObject({ code: 'MODEL_INVALID', answer: { dialect: 'aura' } });
    // Functions are rejected and the answer without them is unusable: the fallback stays for a while.
    server.next({ status: 400 }, { raw: '<html></html>' }, jsonAction);
    const home = gatewayModel('home-made');
    await expect(home.generate({ ...request, tools: [pressTool] }, context())).rejects.toMatchObject({
      answer: { dialect: 'aura' },
    });
    await home.generate({ ...request, tools: [pressTool] }, context());
    expect(server.requests.map((request) => request.tools)).toEqual([[], ['press'], [], []]);
  });

  test('falls back to schemas in the prompt for a while if the endpoint rejects schemas', async () => {
    server.next(
      { status: 400, message: 'This model supports no schema' },
      { text: 'Here it is:\n```json\n{"done": true}\n```' },
      { text: '{"done":false}' },
    );
    const log = memoryLog();
    const home = gatewayModel('home-made');
    const answers = [];
    for (let times = 0; times < 2; times += 1)
      answers.push(await home.generate({ ...request, schema: answerSchema }, context({ log })));
    expect(answers).toMatchObject([
      { text: '{"done":true}', finish: 'stop', schemaMode: 'prompt' },
      { text: '{"done":false}', finish: 'stop', schemaMode: 'prompt' },
    ]);
    const [first, ...laterRequests] = server.requests.map(({ body, system }) => {
      const { system: _, messages: __, systemInstruction: ___, ...rest } = body;
      return {
        hasSchema: JSON.stringify(rest).includes('"done"'),
        hasInstructions: system.includes(JSON.stringify(answerSchema)),
      };
    });
    expect(first).toEqual({ hasSchema: true, hasInstructions: false });
    expect(laterRequests).toEqual([
      { hasSchema: false, hasInstructions: true },
      { hasSchema: false, hasInstructions: true },
    ]);
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        facts: { model: `${provider}/home-made`, error: expect.stringContaining('supports no schema') },
      },
    ]);
  });

  test('keeps sending schemas to an endpoint that accepted one recently', async () => {
    server.next({ text: '{"done":true}' }, { status: 400 }, { text: '{"done":true}' }, { text: '{"done":false}' });
    const log = memoryLog();
    const home = gatewayModel('home-made');
    const answers = [];
    for (let times = 0; times < 3; times += 1)
      answers.push(await home.generate({ ...request, schema: answerSchema }, context({ log })));
    expect(answers.map((answer) => [answer.text, answer.schemaMode])).toEqual([
      ['{"done":true}', undefined],
      ['{"done":true}', 'prompt'],
      ['{"done":false}', undefined],
    ]);
    expect(server.requests.map(({ system }) => system.includes(JSON.stringify(answerSchema)))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(log.lines).toEqual([]);
  });

  test('falls back if the last accepted schema is more than an hour old', async () => {
    server.next({ text: '{"done":true}' }, { status: 400 }, { text: '{"done":true}' }, { text: '{"done":false}' });
    let hours = 0;
    const home = gatewayModel('home-made', {}, { ...systemClock, monotonic: () => hours * 3_600_000 });
    const forms = [];
    for (hours of [1, 2.1, 2.2]) {
      const { schemaMode: how } = await home.generate({ ...request, schema: answerSchema }, context());
      forms.push(how);
    }
    expect(forms).toEqual([undefined, 'prompt', 'prompt']);
    expect(server.requests).toHaveLength(4);
  });

  test('validates answers to schemas in the prompt, and reports the first rejection', async () => {
    server.next({ status: 422 }, { text: '{"done":"yes"}', usage: { input: 1000, output: 100 } }, { text: 'Done.' });
    const home = gatewayModel('home-made');
    await expect(home.generate({ ...request, schema: answerSchema }, context())).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining('/done must be boolean'),
      answer: { schemaMode: 'prompt', usage: { inputTokens: 1000, outputTokens: 100 } },
    });
    await expect(home.generate({ ...request, schema: answerSchema }, context())).rejects.toMatchObject({
      code: 'MODEL_INVALID',
    });
    expect(server.requests).toHaveLength(3);
    server.next({ status: 400, message: 'The prompt is too long' }, { status: 400, message: 'Still' });
    await expect(gatewayModel('other').generate({ ...request, schema: answerSchema }, context())).rejects.toMatchObject(
      {
        code: 'MODEL_REFUSED',
        message: expect.stringContaining('The prompt is too long'),
      },
    );
    // An unavailable provider does not depend on the schema.
    server.next({ status: 503 });
    await expect(gatewayModel('other').generate({ ...request, schema: answerSchema }, context())).rejects.toMatchObject(
      {
        code: 'MODEL_UNAVAILABLE',
      },
    );
    expect(server.requests).toHaveLength(6);
  });

  test('sends images unchanged', async () => {
    server.next({ text: 'A page.' });
    const image = { contentType: 'image/jpeg' as const, data: jpeg.toString('base64') };
    const parts = [{ text: 'Look:' }, { image }];
    await model.generate({ ...request, messages: [{ role: 'user', parts }] }, context());
    expect(onlyRequest().images).toEqual([jpeg]);
    expect(onlyRequest().text).toBe('Look:');
  });

  test('a truncated answer has finish `length`', async () => {
    server.next({ text: '{"done":', finish: 'length' });
    const answer = await model.generate({ ...request, schema: answerSchema }, context());
    expect(answer).toMatchObject({ text: '{"done":', finish: 'length' });
  });

  test('an answer that is not JSON is unusable but has a cost', async () => {
    server.next({ text: 'I think so.', usage: { input: 1000, output: 100, cached: 400 } });
    const call = model.generate({ ...request, schema: answerSchema }, context());
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      answer: { text: 'I think so.', usage: { inputTokens: 1000, outputTokens: 100 }, usd: expect.closeTo(usd ?? 0) },
    });
    await expect(call).rejects.toBeInstanceOf(UnusableAnswerError);
  });

  test('a call with malformed arguments is unusable', async () => {
    server.next({ malformedCall: '{"index": 5' });
    await expect(model.generate({ ...request, tools: [pressTool] }, context())).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      answer: { calls: [], usage: { inputTokens: 10, outputTokens: 5 } },
    });
  });

  test('a response that is not JSON is unusable', async () => {
    server.next({ raw: '<html>Welcome to the proxy</html>' });
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  test('a blocked answer has finish `safety` and a cost', async () => {
    server.next({ text: '', finish: 'safety', usage: { input: 1000, output: 0 } });
    const answer = await model.generate(request, context());
    expect(answer).toMatchObject({ finish: 'safety', calls: [], usage: { inputTokens: 1000 } });
  });

  test('HTTP 429 has the retry delay, and the SDK does not retry', async () => {
    server.next({ status: 429, retryAfter: '7', message: 'Slow down' });
    await expect(model.generate(request, context())).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      status: 429,
      retryAfterMs: 7000,
      message: expect.stringContaining('Slow down'),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('retries after HTTP 500', async () => {
    server.next({ status: 500 }, { status: 503 }, { text: 'Back.' });
    const waits: number[] = [];
    const retryingModel = withRetry(model, {
      clock: systemClock,
      random: () => 0.5,
      maxAttempts: 3,
      baseMs: 100,
      maxMs: 1000,
      wait: async (ms) => waits.push(ms),
    });
    await expect(retryingModel.generate(request, context())).resolves.toMatchObject({ text: 'Back.' });
    expect(waits).toEqual([50, 100]);
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    [400, 'MODEL_REFUSED'],
    [401, 'MODEL_NOT_CONFIGURED'],
    [404, 'MODEL_NOT_CONFIGURED'],
    [502, 'MODEL_UNAVAILABLE'],
  ])('HTTP %i is %s', async (status, code) => {
    server.next({ status, message: 'Incorrect key: a-key' });
    const failed = model.generate(request, context()).catch((error: Error) => error);
    expect(await failed).toMatchObject({ code, status });
    if (status === 401) expect(String(await failed)).not.toContain('a-key');
  });

  test('a broken or refused connection is MODEL_UNAVAILABLE', async () => {
    server.next({ cut: true });
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', status: null });
    const endpoint = { apiKey: 'a-key', baseUrl: 'http://127.0.0.1:1' };
    const unreachableModel = modelAdapters[provider]({ endpoint, model: name, clock: systemClock });
    await expect(unreachableModel.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  test('aborts at the deadline', async () => {
    server.next({ hangs: true });
    const deadline = systemClock.monotonic() + 50;
    await expect(model.generate(request, context({ deadline }))).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('in time'),
    });
    await until('the connection is closed', () => server.open === 0);
  });

  test('aborts with its signal', async () => {
    server.next({ hangs: true });
    const stop = new AbortController();
    const call = model.generate(request, context({ signal: stop.signal }));
    await until('the call arrives', () => server.requests.length === 1);
    stop.abort(new Error('The run was cancelled'));
    await expect(call).rejects.toThrow('The run was cancelled');
    await until('the connection is closed', () => server.open === 0);
  });
});

/** The second request of a conversation with functions, by provider. */
const expectedConversations: Record<Provider, object> = {
  gemini: {
    contents: [
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'Pressing.' },
          { functionCall: { name: 'press', args: { index: 5 } }, thoughtSignature: btoa('signature 0') },
          { functionCall: { name: 'press', args: { index: 6 } }, thoughtSignature: btoa('signature 1') },
        ],
      },
      {
        role: 'user',
        parts: [
          { text: 'And now?' },
          { functionResponse: { name: 'press', response: { pressed: 'five' } } },
          { functionResponse: { name: 'press', response: { result: 'six' } } },
        ],
      },
    ],
  },
  openai: {
    messages: [
      { role: 'system', content: 'You operate a browser.' },
      { role: 'user', content: [{ type: 'text', text: 'What next?' }] },
      {
        role: 'assistant',
        content: 'Pressing.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'press', arguments: '{"index":5}' } },
          { id: 'call_2', type: 'function', function: { name: 'press', arguments: '{"index":6}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"pressed":"five"}' },
      { role: 'tool', tool_call_id: 'call_2', content: '"six"' },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
    ],
  },
  anthropic: {
    system: [{ type: 'text', text: 'You operate a browser.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Pressing.' },
          { type: 'tool_use', id: 'call_1', name: 'press', input: { index: 5 } },
          { type: 'tool_use', id: 'call_2', name: 'press', input: { index: 6 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: '{"pressed":"five"}' },
          { type: 'tool_result', tool_use_id: 'call_2', content: '"six"' },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
  },
};
