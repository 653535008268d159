import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { ComputerTool, NativeExchange } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { systemClock, type Context } from '@pilothouse/core/ports/runtime.port';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { parseAnswer } from '@pilothouse/core/agent/dialects/read-answer';
import { modelAdapters } from './configured-models.ts';
import type { Provider } from './model-endpoint.ts';
import { withRetry } from './retry-and-breaker.ts';

/* Adapters against servers that refuse a conversation as the providers do. */

const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
const image = { image: { contentType: 'image/jpeg' as const, data: jpeg } };
const check = { id: 'check-1', code: 'sensitive_domain', message: 'This is a bank' };

interface Case {
  readonly tool: ComputerTool;
  readonly provider: Provider;
  readonly path: string;
  /** Two calls, of which the second one has a safety check if the provider has such. */
  readonly blocks: readonly object[];
  /** `tools[]` of the request, without the function. */
  readonly entry: object;
}

const thinking = { type: 'thinking', thinking: 'The form is open. I fill it in.', signature: 'c2lnbmVk' };
const toolUse = (id: string, name: string, input: object, toolset?: string) => ({
  ...{ type: 'tool_use', id, name, input, caller: { type: 'direct' } },
  ...(toolset && { toolset_name: toolset }),
});
const click = { type: 'click', button: 'left', x: 5, y: 5 };

const cases: Case[] = [
  {
    tool: 'computer_toolset_20260801',
    provider: 'anthropic',
    path: '',
    blocks: [
      thinking,
      toolUse('t1', 'left_click', { coordinate: [5, 5] }, 'computer'),
      toolUse('t2', 'type', { text: 'rope' }, 'computer'),
    ],
    entry: { type: 'computer_toolset_20260801', configs: { hold_key: { enabled: true }, zoom: { enabled: true } } },
  },
  {
    tool: 'browser_toolset_20260801',
    provider: 'anthropic',
    path: '',
    blocks: [
      thinking,
      toolUse('t1', 'left_click', { target: { type: 'ref', ref: '4' } }, 'browser'),
      toolUse('t2', 'read_page', {}, 'browser'),
    ],
    entry: {
      type: 'browser_toolset_20260801',
      configs: expect.objectContaining({
        javascript_exec: { enabled: false },
        read_network: { enabled: false },
        file_upload: { enabled: true },
        switch_tab: { enabled: true },
        new_tab: { enabled: false },
      }),
    },
  },
  {
    tool: 'computer_20251124',
    provider: 'anthropic',
    path: '',
    blocks: [
      thinking,
      toolUse('t1', 'computer', { action: 'left_click', coordinate: [5, 5] }),
      toolUse('t2', 'computer', { action: 'type', text: 'rope' }),
    ],
    entry: {
      type: 'computer_20251124',
      name: 'computer',
      enable_zoom: true,
      display_width_px: 1280,
      display_height_px: 800,
    },
  },
  {
    tool: 'openai_computer',
    provider: 'openai',
    path: '/v1',
    blocks: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VjcmV0' },
      {
        ...{ type: 'computer_call', id: 'cu_1', call_id: 'c1', status: 'completed', pending_safety_checks: [] },
        actions: [click, { type: 'type', text: 'rope' }],
      },
      {
        ...{ type: 'computer_call', id: 'cu_2', call_id: 'c2', status: 'completed', pending_safety_checks: [check] },
        actions: [click],
      },
    ],
    entry: { type: 'computer' },
  },
  {
    tool: 'gemini_computer_use',
    provider: 'gemini',
    path: '',
    blocks: [
      { functionCall: { id: 'g1', name: 'click', args: { x: 5, y: 5 } }, thoughtSignature: 'c2lnbmVk' },
      {
        functionCall: {
          ...{ id: 'g2', name: 'type' },
          args: { text: 'rope', safety_decision: { decision: 'require_confirmation', explanation: check.message } },
        },
      },
    ],
    entry: { computerUse: { environment: 'ENVIRONMENT_BROWSER', enablePromptInjectionDetection: true } },
  },
];

type BadTurn = [name: string, blocks: readonly object[], reason: RegExp];

const anthropicTurns = (family: string | undefined, click: (x: number) => object, name = 'left_click'): BadTurn[] => {
  const valid = toolUse('t1', name, click(5), family);
  return [
    ['a point outside the screen', [valid, toolUse('t2', name, click(1281), family)], /outside the screen/],
    ['a call without id', [valid, toolUse('', name, click(5), family)], /a call has no id/],
    ['one id for two calls', [valid, valid], /two calls have the id t1/],
    ['an unknown toolset', [valid, toolUse('t2', name, click(5), 'computer_v9')], /belongs to the toolset computer_v9/],
    ['a call of a function that does not exist', [valid, toolUse('t2', 'pay', {})], /pay is not a part of|unknown/],
  ];
};

const computerCall = (id: string | undefined, x: number) => ({
  ...{ type: 'computer_call', id: 'cu', call_id: id, status: 'completed', pending_safety_checks: [] },
  actions: [{ ...click, x }],
});
const geminiCall = (id: string, name: string, args: object) => ({ functionCall: { id, name, args } });

/** Turns that no provider should send. */
const badTurns: Readonly<Record<ComputerTool, BadTurn[]>> = {
  computer_toolset_20260801: [
    ...anthropicTurns('computer', (x) => ({ coordinate: [x, 5] })),
    ['a point that is a text', [toolUse('t1', 'left_click', { coordinate: 'here' }, 'computer')], /is a list \[x, y\]/],
    [
      'an unknown member',
      [toolUse('t1', 'javascript_exec', { code: '1' }, 'computer')],
      /not a part of computer_toolset/,
    ],
  ],
  browser_toolset_20260801: [
    ...anthropicTurns('browser', (x) => ({ target: { type: 'coordinate', x, y: 5 } })),
    ['a target that is a text', [toolUse('t1', 'left_click', { target: 'Save' }, 'browser')], /missing `target`/],
    ['a disabled member', [toolUse('t1', 'javascript_exec', { code: '1' }, 'browser')], /javascript_exec is disabled/],
    ['network reading', [toolUse('t1', 'read_network', {}, 'browser')], /read_network is disabled/],
  ],
  computer_20251124: [
    ...anthropicTurns(undefined, (x) => ({ action: 'left_click', coordinate: [x, 5] }), 'computer'),
    ['a point that is a text', [toolUse('t1', 'computer', { action: 'left_click', coordinate: 'here' })], /is a list/],
    ['an unknown action', [toolUse('t1', 'computer', { action: 'zap' })], /unknown action "zap"/],
  ],
  openai_computer: [
    ['a point outside the screen', [computerCall('c1', 5), computerCall('c2', 1281)], /outside the screen/],
    ['a call without id', [computerCall('c1', 5), computerCall(undefined, 5)], /a call has no id/],
    ['one id for two calls', [computerCall('c1', 5), computerCall('c1', 5)], /two calls have the id c1/],
    ['actions that are no list', [{ ...computerCall('c1', 5), actions: 'click' }], /the call has no actions/],
    [
      'an unknown action',
      [{ ...computerCall('c1', 5), actions: [{ type: 'exec', code: '1' }] }],
      /unknown action exec/,
    ],
  ],
  gemini_computer_use: [
    ['a point outside the screen', [geminiCall('g1', 'click', { x: 5, y: 1001 })], /between 0 and 1000/],
    [
      'one id for two calls',
      [geminiCall('g1', 'click', { x: 5, y: 5 }), geminiCall('g1', 'click', { x: 5, y: 5 })],
      /two calls have the id g1/,
    ],
    ['a point that is a text', [geminiCall('g1', 'click', { x: 'left', y: 5 })], /between 0 and 1000/],
    ['a disabled function', [geminiCall('g1', 'key_down', { key: 'a' })], /not a part of gemini_computer_use/],
    ['a function of another environment', [geminiCall('g1', 'open_app', { app: 'Maps' })], /no mobile surface/],
  ],
};

const done = { name: 'done', description: 'The goal is met', parameters: { type: 'object', properties: {} } };

const answerContext = {
  ...{ surface: 'browser' as const, focused: null, image: { width: 1280, height: 800 }, secrets: [] },
};

/** Models with a known price, and that of 1,000 tokens in and 100 out. */
const prices: Readonly<Record<Provider, { model: string; usd: number }>> = {
  gemini: { model: 'gemini-2.5-flash', usd: (1000 * 0.3 + 100 * 2.5) / 1e6 },
  openai: { model: 'gpt-5-mini', usd: (1000 * 0.25 + 100 * 2) / 1e6 },
  anthropic: { model: 'claude-haiku-4-5-20251001', usd: (1000 * 1 + 100 * 5) / 1e6 },
};

const variants = cases.flatMap((toolCase) => [
  { ...toolCase, delivery: 'whole', stream: false },
  // The Responses API is never streamed.
  ...(toolCase.provider === 'openai' ? [] : [{ ...toolCase, delivery: 'piece by piece', stream: true }]),
]);

describe.each(variants)('$tool, $delivery answers', ({ tool, provider, path, blocks, entry, stream }) => {
  let server: ModelServer;
  const context = (fields: Partial<Context> = {}): Context => ({
    signal: new AbortController().signal,
    deadline: systemClock.monotonic() + 30_000,
    log: memoryLog(),
    ...fields,
  });
  const requestOf = (computer: Partial<NonNullable<ModelRequest['computer']>>): ModelRequest => ({
    role: 'vision',
    prompt: { name: 'spec', version: 1 },
    system: 'You operate a browser.',
    messages: [
      {
        role: 'user',
        parts: [
          { text: 'Goal: buy rope' },
          { text: 'Before turn 1:' },
          image,
          { text: 'Current page:' },
          image,
          { text: 'Elements by mark number' },
        ],
      },
    ],
    tools: [{ ...done, name: 'act' }, done],
    computer: {
      ...{ surface: 'browser', replaces: ['act'], tool, screen: { width: 1280, height: 800 } },
      page: { url: 'https://shop.test/', title: 'Shop' },
      ...computer,
    },
  });
  const adapter = (model = 'a-model') =>
    modelAdapters[provider]({
      endpoint: { apiKey: 'a-key', baseUrl: server.url + path, stream },
      ...{ model, clock: systemClock },
    });
  const generate = (request: ModelRequest) => adapter().generate(request, context());

  beforeEach(async () => {
    server = await startModels();
  });
  afterEach(() => server.close());

  const firstTurn = async () => {
    server.next({ blocks });
    const { native } = await generate(requestOf({}));
    if (!native) throw new Error('The answer has no turn of the tool');
    return native;
  };
  const exchangeOf = async (change: (exchange: NativeExchange) => NativeExchange = (same) => same) => {
    const turn = await firstTurn();
    const results = turn.calls.map(({ id, name, toolset, checks }, index, calls) => ({
      ...{ id: id ?? '', name, toolset, text: `Result ${index + 1}`, isError: false, acknowledged: checks },
      hasImage: tool === 'openai_computer' || index === calls.length - 1,
    }));
    return change({ turn, results, screenshot: 1 });
  };

  test('the request has the tool instead of the functions that it replaces', async () => {
    const native = await firstTurn();
    expect(server.requests[0]?.body).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining(entry)]) });
    expect(server.requests[0]?.tools).toContain('done');
    expect(server.requests[0]?.tools).not.toContain('act');
    expect(native.blocks).toEqual(blocks);
    expect(native.calls.map(({ id }) => id)).toEqual(
      { anthropic: ['t1', 't2'], openai: ['c1', 'c2'], gemini: ['g1', 'g2'] }[provider],
    );
    if (provider !== 'anthropic') expect(native.calls[1]?.checks).toMatchObject([{ message: check.message }]);
  });

  test('the next request returns the turn unchanged, with its results in order and the screenshot', async () => {
    const exchange = await exchangeOf();
    server.next({ text: 'Next' });
    await expect(generate(requestOf({ exchanges: [exchange] }))).resolves.toMatchObject({ text: 'Next' });
    const { text, images, body } = server.requests[1] ?? {};
    expect(images).toHaveLength(tool === 'openai_computer' ? 3 : 2);
    expect(text).toMatch(/Goal: buy rope[\s\S]*Elements by mark number/);
    if (tool === 'browser_toolset_20260801')
      expect(JSON.stringify(body)).toContain(
        '"tabs":[{"tab_id":"1","url":"https://shop.test/","title":"Shop","active":true}]',
      );
    for (const result of ['Result 1', 'Result 2']) expect(JSON.stringify(body)).toContain(result);
  });

  test.each<[string, (exchange: NativeExchange) => NativeExchange, RegExp]>([
    ['results out of order', (exchange) => ({ ...exchange, results: exchange.results.toReversed() }), /in order/],
    [
      'a changed thought',
      ({ turn, ...exchange }) => ({
        ...exchange,
        turn: {
          ...turn,
          blocks: JSON.parse(JSON.stringify(turn.blocks).replace(/c2VjcmV0|c2lnbmVk/, 'b3RoZXI=')) as Json[],
        },
      }),
      /unchanged/,
    ],
  ])('the server refuses %s', async (_, change, reason) => {
    const exchange = await exchangeOf(change);
    server.next({ text: 'Next' });
    await expect(generate(requestOf({ exchanges: [exchange] }))).rejects.toThrow(reason);
  });

  test('a turn without its screenshot is left out, because the provider refuses it', async () => {
    const exchange = await exchangeOf((complete) => ({ ...complete, screenshot: null }));
    server.next({ text: 'Next' });
    await expect(generate(requestOf({ exchanges: [exchange] }))).resolves.toMatchObject({ text: 'Next' });
    const body = JSON.stringify(server.requests[1]?.body);
    expect(body).toContain('Goal: buy rope');
    for (const block of ['computer_call', 'tool_use', 'functionCall']) expect(body).not.toContain(block);
    // Its results remain as text.
    expect(body).toMatch(/Results of the last turn:[^"]*: Result 1/);
  });

  test('offers the actions that the tool does not have as functions', async () => {
    server.next({ text: 'Next' });
    const adds = ['select', 'dialog', 'upload', 'switchTab'].map((name) => ({ ...done, name }));
    await generate(requestOf({ adds }));
    const members = tool === 'browser_toolset_20260801' ? ['upload', 'switchTab'] : [];
    for (const { name } of adds) {
      if (members.includes(name)) expect(server.requests[0]?.tools).not.toContain(name);
      else expect(server.requests[0]?.tools).toContain(name);
    }
  });

  test('marks a failed call, and the rest of its batch as not executed', async () => {
    const failures = ['The button is covered', 'Not executed: an earlier action of this turn failed.'];
    const exchange = await exchangeOf(({ results, ...rest }) => ({
      ...rest,
      results: results.map((result, index) => ({ ...result, text: failures[index] ?? '', isError: true })),
    }));
    server.next({ text: 'Next' });
    await generate(requestOf({ exchanges: [exchange] }));
    const body = JSON.stringify(server.requests[1]?.body);
    for (const failure of failures) expect(body).toContain(failure);
    const marks = { anthropic: /"is_error":true/g, gemini: /"error":"/g, openai: /Not executed/g }[provider];
    expect(body.match(marks)).toHaveLength(provider === 'openai' ? 1 : 2);
  });

  test('the server refuses two results for one call', async () => {
    const exchange = await exchangeOf(({ results, ...rest }) => ({
      ...rest,
      results: [...results, ...results.slice(-1)],
    }));
    server.next({ text: 'Next' });
    await expect(generate(requestOf({ exchanges: [exchange] }))).rejects.toThrow(/one result/);
  });

  test('an answer in text alone ends the turn, with its usage', async () => {
    server.next({ text: 'The form is stored.', usage: { input: 1000, output: 100, cached: 400 } });
    const answer = await generate(requestOf({}));
    expect(answer).toMatchObject({
      ...{ text: 'The form is stored.', calls: [], finish: 'stop', provider },
      usage: { inputTokens: 1000, outputTokens: 100, cachedTokens: 400 },
    });
    expect(answer.native).toBeUndefined();
    // Without tokens of a thought, text is the only content.
    expect(parseAnswer(answer, answerContext).actions).toEqual([]);
  });

  test('a turn has its usage and the price of its model', async () => {
    server.next({ blocks, usage: { input: 1000, output: 100 } });
    const { model: name, usd } = prices[provider];
    const answer = await adapter(name).generate(requestOf({}), context());
    expect(answer).toMatchObject({
      ...{ finish: 'calls', model: name, usage: { inputTokens: 1000, outputTokens: 100, cachedTokens: 0 } },
      usd: expect.closeTo(usd, 12),
    });
  });

  test('a truncated or blocked answer keeps its reason', async () => {
    server.next({ text: 'The form', finish: 'length' }, { text: '', finish: 'safety' });
    await expect(generate(requestOf({}))).resolves.toMatchObject({ finish: 'length' });
    await expect(generate(requestOf({}))).resolves.toMatchObject({ finish: 'safety', calls: [] });
  });

  test('a call with malformed arguments is unusable', async () => {
    server.next({ malformedCall: '{"index": 5' });
    await expect(generate(requestOf({}))).rejects.toMatchObject({ code: 'MODEL_INVALID', answer: { calls: [] } });
  });

  test('a response that is not JSON is unusable', async () => {
    server.next({ raw: '<html>Welcome to the proxy</html>' });
    await expect(generate(requestOf({}))).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  test('HTTP 429 has the retry delay, and HTTP 500 is retried with the same conversation', async () => {
    const exchange = await exchangeOf();
    const request = requestOf({ exchanges: [exchange] });
    server.next({ status: 429, retryAfter: '7', message: 'Slow down' });
    await expect(generate(request)).rejects.toMatchObject({
      ...{ code: 'MODEL_UNAVAILABLE', status: 429, retryAfterMs: 7000 },
      message: expect.stringContaining('Slow down'),
    });
    expect(server.requests).toHaveLength(2);
    server.next({ status: 500 }, { text: 'Back.' });
    const retryingModel = withRetry(adapter(), {
      ...{ clock: systemClock, random: () => 0.5, maxAttempts: 2, baseMs: 1, maxMs: 1 },
      wait: async () => undefined,
    });
    await expect(retryingModel.generate(request, context())).resolves.toMatchObject({ text: 'Back.' });
    expect(server.requests.at(-1)?.body).toEqual(server.requests.at(-2)?.body);
  });

  test.each([
    [400, 'MODEL_REFUSED'],
    [401, 'MODEL_NOT_CONFIGURED'],
    [404, 'MODEL_NOT_CONFIGURED'],
  ])('HTTP %i is %s', async (status, code) => {
    server.next({ status, message: 'Incorrect key: a-key' });
    const failed = generate(requestOf({})).catch((error: Error) => error);
    expect(await failed).toMatchObject({ code, status });
    if (status === 401) expect(String(await failed)).not.toContain('a-key');
  });

  test('a turn that is cut off is MODEL_UNAVAILABLE, and nothing of it is used', async () => {
    server.next({ cut: true });
    await expect(generate(requestOf({}))).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', status: null });
  });

  test('aborts at the deadline, and with its signal', async () => {
    server.next({ hangs: true }, { hangs: true });
    const late = adapter().generate(requestOf({}), context({ deadline: systemClock.monotonic() + 50 }));
    await expect(late).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('in time'),
    });
    const stop = new AbortController();
    const arrived = server.requests.length;
    const call = adapter().generate(requestOf({}), context({ signal: stop.signal }));
    await until('the call arrives', () => server.requests.length > arrived);
    stop.abort(new Error('The run was cancelled'));
    await expect(call).rejects.toThrow('The run was cancelled');
    await until('the connections are closed', () => server.open === 0);
  });

  test('a model with another tool, or without one, gets the messages alone', async () => {
    const exchange = await exchangeOf();
    server.next({ text: 'Next' });
    await generate(requestOf({ exchanges: [exchange], tool: 'none' }));
    expect(server.requests[1]?.tools).toEqual(['act', 'done']);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('Result 1');
  });

  test.each(badTurns[tool])('executes nothing of a turn with %s, and names the reason', async (_, blocks, reason) => {
    server.next({ blocks });
    const answer = await generate(requestOf({}));
    const { actions, problems } = parseAnswer(answer, answerContext);
    expect(actions).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(reason)]);
    expect(problems[0]).toContain('Nothing was executed');
  });
});
