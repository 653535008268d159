import type { ModelRequest } from '@pilothouse/contract';
import { parseAnswer, systemClock, UnusableAnswerError, type Context, type Model } from '@pilothouse/core';
import { memoryLog, startModels, until, type ModelServer } from '@pilothouse/testing';
import { modelAdapters } from './model-adapters.ts';
import { toModelRef, type Provider } from './model-endpoint.ts';
import { withStructuredOutput, withTextDialect } from './request-adapters.ts';
import { withRetry } from './retry-and-breaker.ts';

const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: 'You operate a browser.',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};

const press = {
  name: 'press',
  description: 'Presses a button',
  parameters: { type: 'object', properties: { index: { type: 'integer' } }, required: ['index'] },
};

const form = {
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

const ways = (Object.keys(models) as Provider[]).flatMap((provider) => [
  { provider, way: 'whole', stream: false },
  { provider, way: 'piece by piece', stream: true },
]);

describe.each(ways)('an adapter keeps to the port: $provider, answers $way', ({ provider, stream }) => {
  const { model: name, path, usd } = models[provider];
  let server: ModelServer;
  let model: Model;
  const context = (more: Partial<Context> = {}): Context => ({
    signal: new AbortController().signal,
    deadline: systemClock.monotonic() + 30_000,
    log: memoryLog(),
    ...more,
  });
  const asked = () => {
    expect(server.requests).toHaveLength(1);
    return server.requests[0]!;
  };

  beforeEach(async () => {
    server = await startModels();
    const endpoint = { apiKey: 'a-key', baseUrl: server.url + path, headers: { 'x-team': 'harbour' }, stream };
    model = modelAdapters[provider]({ endpoint, model: name, clock: systemClock });
  });
  afterEach(() => server.close());

  test('text comes back with what it cost', async () => {
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
    expect(asked()).toMatchObject({ protocol: provider, model: name, key: 'a-key', text: 'What next?' });
    expect(asked()).toMatchObject({ system: request.system, stream });
    expect(asked().headers['x-team']).toBe('harbour');
    expect(JSON.stringify(asked().body)).toContain('321');
  });

  test('what it says is told as it comes, from its beginning, where it comes piece by piece', async () => {
    const said: string[] = [];
    server.next({ text: 'Press the button.', calls: [{ name: 'press', args: { index: 5 } }] });
    await model.generate({ ...request, tools: [press] }, { ...context(), said: (text) => void said.push(text) });
    expect(said).toEqual(stream ? ['Press th', 'Press the button.'] : []);
  });

  test('a price that is not known is no error', async () => {
    const endpoint = { apiKey: 'a-key', baseUrl: server.url + path, stream };
    const other = modelAdapters[provider]({ endpoint, model: 'home-made', clock: systemClock });
    server.next({ text: 'Yes' });
    await expect(other.generate(request, context())).resolves.toMatchObject({ model: 'home-made', usd: null });
  });

  test('functions are called, and what came of it goes back to the call', async () => {
    server.next({
      text: 'Pressing.',
      calls: [
        { name: 'press', args: { index: 5 } },
        { name: 'press', args: { index: 6 } },
      ],
    });
    const { text, calls, finish } = await model.generate({ ...request, tools: [press] }, context());
    expect({ text, finish }).toEqual({ text: 'Pressing.', finish: 'calls' });
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual([
      { name: 'press', args: { index: 5 } },
      { name: 'press', args: { index: 6 } },
    ]);
    expect(asked().tools).toEqual(['press']);
    expect(JSON.stringify(asked().body)).toContain(JSON.stringify(press.parameters.properties));

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
    await model.generate({ ...request, messages, tools: [press] }, context());
    expect(server.requests[1]?.body).toMatchObject(replayed[provider]);
  });

  test('a tool for operating computers stands in for functions where the model has one', async () => {
    const tools = [press, { ...press, name: 'done' }];
    const computer = { surface: 'browser' as const, replaces: ['press'] };
    server.next({ text: 'Yes' }, { calls: [{ name: 'click', args: { x: 500, y: 250 } }] });
    await model.generate({ ...request, tools, computer }, context());
    expect(asked().tools).toEqual(['press', 'done']);
    expect(JSON.stringify(asked().body)).not.toContain('omputer');
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

  /** A model as the gateway asks it. */
  const spoken = (of: string, entry = {}, clock = systemClock) => {
    const options = {
      endpoint: { apiKey: 'a-key', baseUrl: server.url + path, stream },
      model: of,
      clock: systemClock,
    };
    const ref = toModelRef(provider, { ...options, entry });
    return withTextDialect(withStructuredOutput(modelAdapters[provider](options), ref, clock), ref, clock);
  };
  const inJson = { text: '{"thought": "Five.", "action": "click", "element": 5}' };
  const movesOf = (answer: Awaited<ReturnType<Model['generate']>>) =>
    parseAnswer(answer, { focused: null, image: { width: 1400, height: 700 }, secrets: [] }).moves;
  const clicked = { kind: 'act', action: { action: 'click', target: { elementIndex: 5 } } };

  test('a model without functions is told in words how to write actions, and understood', async () => {
    server.next(inJson);
    const answer = await spoken('home-made', { dialect: 'aura' }).generate({ ...request, tools: [press] }, context());
    expect(asked().tools).toEqual([]);
    expect(asked().body).not.toHaveProperty('tools');
    expect(asked().system).toMatch(
      /^You operate a browser\.\n\nYou cannot call functions here\.[^]*- press: Presses a button/,
    );
    expect(answer).toMatchObject({ dialect: 'aura', calls: [] });
    expect(movesOf(answer)).toEqual([clicked]);
  });

  test('a model with a dialect of its own is asked in its own words, by its name or as the request says', async () => {
    const image = { image: { contentType: 'image/jpeg' as const, data: jpeg.toString('base64') } };
    const shown = {
      ...request,
      tools: [press],
      messages: [{ role: 'user' as const, parts: [{ text: 'Buy' }, image] }],
    };
    server.policy = () => ({ text: "Thought: The button.\nAction: click(point='<point>700 70</point>')" });
    const named = await spoken('UI-TARS-1.5-7B').generate(shown, context());
    const said = await spoken('home-made').generate({ ...shown, dialect: 'ui-tars-1.5' }, context());
    for (const answer of [named, said]) {
      expect(answer.dialect).toBe('ui-tars-1.5');
      expect(movesOf(answer)).toEqual([
        { kind: 'act', action: { action: 'click', target: { point: { x: 500, y: 100 } } } },
      ]);
    }
    for (const { text, system, images, tools } of server.requests) {
      expect(text).toMatch(/^You are a GUI agent\.[^]*\nBuy$/);
      expect([system, images, tools]).toEqual(['', [jpeg], []]);
    }
  });

  test('an endpoint that refuses functions is told in words, and not offered any for a while', async () => {
    server.next({ status: 400, message: 'home-made does not support tools' }, inJson, inJson);
    const log = memoryLog();
    const home = spoken('home-made');
    const tools = [press];
    for (let times = 0; times < 2; times += 1) {
      const answer = await home.generate({ ...request, tools }, context({ log }));
      expect([answer.dialect, movesOf(answer)]).toEqual(['aura', [clicked]]);
    }
    expect(server.requests.map((one) => one.tools)).toEqual([['press'], [], []]);
    expect(log.lines).toMatchObject([{ level: 'warn', facts: { model: `${provider}/home-made` } }]);
  });

  test('what is refused with and without functions is refused by what was said first', async () => {
    server.next({ status: 400, message: 'The prompt is too long' }, { status: 400, message: 'Still' });
    const home = spoken('home-made');
    const tools = [press];
    await expect(home.generate({ ...request, tools }, context())).rejects.toMatchObject({
      code: 'MODEL_REFUSED',
      message: expect.stringContaining('The prompt is too long'),
    });
    // One that has called a function, or is known to, is refused for another reason.
    server.next({ calls: [{ name: 'press', args: {} }] }, { status: 400 });
    await home.generate({ ...request, tools }, context());
    await expect(home.generate({ ...request, tools }, context())).rejects.toMatchObject({ status: 400 });
    server.next({ status: 400 });
    await expect(
      spoken('home-made', { dialect: 'calls' }).generate({ ...request, tools }, context()),
    ).rejects.toMatchObject({ status: 400 });
    expect(server.requests.map((one) => one.tools.length)).toEqual([1, 0, 1, 1, 1]);
  });

  test('an answer in a form is JSON', async () => {
    server.next({ text: '{"done":true}' });
    const { text, finish, calls } = await model.generate({ ...request, schema: form }, context());
    expect([JSON.parse(text), finish, calls]).toEqual([{ done: true }, 'stop', []]);
    expect(JSON.stringify(asked().body)).toContain('"done":{"type":"boolean"}');
  });

  test('an answer that cannot be used says in which dialect it was asked for', async () => {
    server.next({ raw: '<html>Welcome to the proxy</html>' });
    await expect(
      spoken('home-made', { dialect: 'aura' }).generate({ ...request, tools: [press] }, context()),
    ).rejects.toMatchObject({ code: 'MODEL_INVALID', answer: { dialect: 'aura' } });
    // Functions are refused, and what comes without is none: they are not offered again for a while all the same.
    server.next({ status: 400 }, { raw: '<html></html>' }, inJson);
    const home = spoken('home-made');
    await expect(home.generate({ ...request, tools: [press] }, context())).rejects.toMatchObject({
      answer: { dialect: 'aura' },
    });
    await home.generate({ ...request, tools: [press] }, context());
    expect(server.requests.map((one) => one.tools)).toEqual([[], ['press'], [], []]);
  });

  test('an endpoint that refuses forms is told in words which is wanted, and asked for none for a while', async () => {
    server.next(
      { status: 400, message: 'This model takes no form' },
      { text: 'Here it is:\n```json\n{"done": true}\n```' },
      { text: '{"done":false}' },
    );
    const log = memoryLog();
    const home = spoken('home-made');
    const answers = [];
    for (let times = 0; times < 2; times += 1)
      answers.push(await home.generate({ ...request, schema: form }, context({ log })));
    expect(answers).toMatchObject([
      { text: '{"done":true}', finish: 'stop', schemaMode: 'prompt' },
      { text: '{"done":false}', finish: 'stop', schemaMode: 'prompt' },
    ]);
    const [first, ...others] = server.requests.map(({ body, system }) => {
      const { system: _, messages: __, systemInstruction: ___, ...rest } = body;
      return { takes: JSON.stringify(rest).includes('"done"'), isTold: system.includes(JSON.stringify(form)) };
    });
    expect(first).toEqual({ takes: true, isTold: false });
    expect(others).toEqual([
      { takes: false, isTold: true },
      { takes: false, isTold: true },
    ]);
    expect(log.lines).toMatchObject([
      { level: 'warn', facts: { model: `${provider}/home-made`, error: expect.stringContaining('takes no form') } },
    ]);
  });

  test('an endpoint that has taken a form is asked for the next one, whatever it refused between', async () => {
    server.next({ text: '{"done":true}' }, { status: 400 }, { text: '{"done":true}' }, { text: '{"done":false}' });
    const log = memoryLog();
    const home = spoken('home-made');
    const answers = [];
    for (let times = 0; times < 3; times += 1)
      answers.push(await home.generate({ ...request, schema: form }, context({ log })));
    expect(answers.map((answer) => [answer.text, answer.schemaMode])).toEqual([
      ['{"done":true}', undefined],
      ['{"done":true}', 'prompt'],
      ['{"done":false}', undefined],
    ]);
    expect(server.requests.map(({ system }) => system.includes(JSON.stringify(form)))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(log.lines).toEqual([]);
  });

  test('an endpoint that took forms more than an hour ago, and takes none now, is asked for none for a while', async () => {
    server.next({ text: '{"done":true}' }, { status: 400 }, { text: '{"done":true}' }, { text: '{"done":false}' });
    let hours = 0;
    const home = spoken('home-made', {}, { ...systemClock, monotonic: () => hours * 3_600_000 });
    const forms = [];
    for (hours of [1, 2.1, 2.2]) {
      const { schemaMode: how } = await home.generate({ ...request, schema: form }, context());
      forms.push(how);
    }
    expect(forms).toEqual([undefined, 'prompt', 'prompt']);
    expect(server.requests).toHaveLength(4);
  });

  test('what is not of the form that words asked for cannot be used; what is refused both ways by what was said first', async () => {
    server.next({ status: 422 }, { text: '{"done":"yes"}', usage: { input: 1000, output: 100 } }, { text: 'Done.' });
    const home = spoken('home-made');
    await expect(home.generate({ ...request, schema: form }, context())).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining('/done is no boolean'),
      answer: { schemaMode: 'prompt', usage: { inputTokens: 1000, outputTokens: 100 } },
    });
    await expect(home.generate({ ...request, schema: form }, context())).rejects.toMatchObject({
      code: 'MODEL_INVALID',
    });
    expect(server.requests).toHaveLength(3);
    server.next({ status: 400, message: 'The prompt is too long' }, { status: 400, message: 'Still' });
    await expect(spoken('other').generate({ ...request, schema: form }, context())).rejects.toMatchObject({
      code: 'MODEL_REFUSED',
      message: expect.stringContaining('The prompt is too long'),
    });
    // That its provider is away, or knows no such key, is no matter of the form.
    server.next({ status: 503 });
    await expect(spoken('other').generate({ ...request, schema: form }, context())).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    expect(server.requests).toHaveLength(6);
  });

  test('an image arrives as it was sent', async () => {
    server.next({ text: 'A page.' });
    const image = { contentType: 'image/jpeg' as const, data: jpeg.toString('base64') };
    const parts = [{ text: 'Look:' }, { image }];
    await model.generate({ ...request, messages: [{ role: 'user', parts }] }, context());
    expect(asked().images).toEqual([jpeg]);
    expect(asked().text).toBe('Look:');
  });

  test('an answer that was cut off says so', async () => {
    server.next({ text: '{"done":', finish: 'length' });
    const answer = await model.generate({ ...request, schema: form }, context());
    expect(answer).toMatchObject({ text: '{"done":', finish: 'length' });
  });

  test('an answer that is not the JSON that was asked for cannot be used, and was paid for', async () => {
    server.next({ text: 'I think so.', usage: { input: 1000, output: 100, cached: 400 } });
    const failed = model.generate({ ...request, schema: form }, context());
    await expect(failed).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      answer: { text: 'I think so.', usage: { inputTokens: 1000, outputTokens: 100 }, usd: expect.closeTo(usd ?? 0) },
    });
    await expect(failed).rejects.toBeInstanceOf(UnusableAnswerError);
  });

  test('a call whose arguments are no JSON cannot be used', async () => {
    server.next({ malformedCall: '{"index": 5' });
    await expect(model.generate({ ...request, tools: [press] }, context())).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      answer: { calls: [], usage: { inputTokens: 10, outputTokens: 5 } },
    });
  });

  test('what is no JSON at all cannot be used', async () => {
    server.next({ raw: '<html>Welcome to the proxy</html>' });
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  test('an answer that the provider blocked says so, and was paid for', async () => {
    server.next({ text: '', finish: 'safety', usage: { input: 1000, output: 0 } });
    const answer = await model.generate(request, context());
    expect(answer).toMatchObject({ finish: 'safety', calls: [], usage: { inputTokens: 1000 } });
  });

  test('429 says how long to wait, and the SDK does not wait by itself', async () => {
    server.next({ status: 429, retryAfter: '7', message: 'Slow down' });
    await expect(model.generate(request, context())).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      status: 429,
      retryAfterMs: 7000,
      message: expect.stringContaining('Slow down'),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('after 500 the next call is answered', async () => {
    server.next({ status: 500 }, { status: 503 }, { text: 'Back.' });
    const waits: number[] = [];
    const again = withRetry(model, {
      clock: systemClock,
      random: () => 0.5,
      tries: 3,
      baseMs: 100,
      maxMs: 1000,
      wait: async (ms) => waits.push(ms),
    });
    await expect(again.generate(request, context())).resolves.toMatchObject({ text: 'Back.' });
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

  test('a connection that breaks, or is not taken, is an unavailable model', async () => {
    server.next({ cut: true });
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', status: null });
    const endpoint = { apiKey: 'a-key', baseUrl: 'http://127.0.0.1:1' };
    const nowhere = modelAdapters[provider]({ endpoint, model: name, clock: systemClock });
    await expect(nowhere.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  test('an answer that is late is not waited for', async () => {
    server.next({ hangs: true });
    const deadline = systemClock.monotonic() + 50;
    await expect(model.generate(request, context({ deadline }))).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('in time'),
    });
    await until('the call is closed', () => server.open === 0);
  });

  test('a call is given up with its signal', async () => {
    server.next({ hangs: true });
    const stop = new AbortController();
    const call = model.generate(request, context({ signal: stop.signal }));
    await until('the call is there', () => server.requests.length === 1);
    stop.abort(new Error('The run was cancelled'));
    await expect(call).rejects.toThrow('The run was cancelled');
    await until('the call is closed', () => server.open === 0);
  });
});

/** The second call of a conversation with functions, as each provider wants it. */
const replayed: Record<Provider, object> = {
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
