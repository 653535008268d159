import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { NativeExchange } from '@pilothouse/contract/model/native-turn.schema';
import { actTextRequest } from '@pilothouse/core/agent/prompts/prompt-sections';
import { toTextDialectRequest } from '@pilothouse/core/agent/prompts/text-dialect-request';
import { toCompactRequest } from '@pilothouse/core/agent/prompts/compact-profile';
import type { AgentGoal } from '@pilothouse/core/agent/agent-goal';
import { initialAgentState, type AgentState } from '@pilothouse/core/agent/agent-state';
import { aGoal } from '@pilothouse/testing/agent-builders';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import type { Model, ModelContext } from '@pilothouse/core/ports/model.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { getEncoding } from 'js-tiktoken';
import { ConfiguredModels } from './configured-models.ts';
import { fitContext, withLearnedContext } from './context-window.ts';
import { ModelCallError, refusedContextTokens } from './provider-errors.ts';
import { capabilitiesOf, estimateInputTokens } from './model-registry.ts';
import type { ModelRef } from './model-endpoint.ts';

const encoding = getEncoding('o200k_base');

/** Tokens of a request, with its functions as JSON. */
function tokensOf({ system, messages, tools }: ModelRequest): number {
  const texts = messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')));
  return encoding.encode([system, ...texts, tools ? JSON.stringify(tools) : ''].join('\n')).length;
}

/** A state with a history of turns and no page. */
function stateWithTurns(count: number, surface: 'browser' | 'desktop' = 'browser'): AgentState {
  const state = initialAgentState(aGoal({ text: 'Press the button Count three times', surface }));
  const turns = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    pageTitle: 'Widget gallery',
    thought: 'The button is in view, so I press it and look at the counter that stands beside it.',
    results: ['click [36] button "Count"'],
  }));
  return { ...state, history: { ...state.history, turns } };
}

const aRef = (contextTokens?: number): ModelRef => ({
  provider: 'llama',
  model: 'qwen',
  protocol: 'openai',
  entry: contextTokens === undefined ? {} : { contextTokens },
});

const page = (lines: number) =>
  `<<<page 42\n${Array.from({ length: lines }, (_, index) => `[${index}] button "Number ${index}"`).join('\n')}\n>>>page 42`;
const history = (lines: number) =>
  `<<<history 42\n${Array.from({ length: lines }, (_, index) => `${index}. on “Shop”: looked`).join('\n')}\n>>>history 42`;

const aRequest = (text: string): ModelRequest => ({
  role: 'act',
  prompt: { name: 'act-text', version: 10 },
  system: 'Rules that stay.',
  messages: [{ role: 'user', parts: [{ text }] }],
  maxTokens: 500,
});

const textOf = ({ messages }: ModelRequest) => messages.map(({ parts }) => JSON.stringify(parts)).join();

describe('the compact profile', () => {
  test.each(['browser', 'desktop'] as const)('has at most 450 tokens without the page: functions, %s', (surface) => {
    const request = actTextRequest(stateWithTurns(12, surface), '123456789012');
    const compact = toCompactRequest(request);
    expect(tokensOf(compact)).toBeLessThanOrEqual(450);
    expect(tokensOf(request)).toBeGreaterThan(1000);
    expect(textOf(compact)).toContain('Press the button Count three times');
    expect(textOf(compact)).toContain('12. on');
  });

  test.each(['browser', 'desktop'] as const)('has at most 450 tokens without the page: aura, %s', (surface) => {
    const compact = toCompactRequest(actTextRequest(stateWithTurns(12, surface), '123456789012'));
    const { request } = toTextDialectRequest(compact, 'aura');
    expect(tokensOf(request)).toBeLessThanOrEqual(450);
  });

  test('is chosen below a context window of 16,000 tokens, or by hand', () => {
    expect(capabilitiesOf(aRef()).profile).toBe('full');
    expect(capabilitiesOf(aRef(8192)).profile).toBe('compact');
    expect(capabilitiesOf(aRef(32_768)).profile).toBe('full');
    expect(capabilitiesOf({ ...aRef(8192), entry: { contextTokens: 8192, profile: 'full' } }).profile).toBe('full');
    expect(capabilitiesOf({ ...aRef(), entry: { profile: 'compact' } }).profile).toBe('compact');
  });

  test('keeps the schema of an answer', () => {
    const outputSchema = {
      type: 'object',
      properties: { total: { type: 'number' } },
      required: ['total'],
    } satisfies AgentGoal['outputSchema'];
    const state = initialAgentState(aGoal({ outputSchema }));
    const { tools = [] } = toCompactRequest(actTextRequest(state, '1'));
    expect(tools.find(({ name }) => name === 'done')?.parameters).toMatchObject({
      properties: { answer: outputSchema },
      required: expect.arrayContaining(['answer']),
    });
  });
});

describe('a prompt that is too long', () => {
  test('loses the oldest history first', () => {
    const { request, shortened } = fitContext(aRef(2000), aRequest(`Goal: buy\n\n${history(300)}\n\n${page(20)}`));
    expect(shortened).toEqual({ historyLines: expect.any(Number), pageLines: 0 });
    expect(shortened?.historyLines).toBeGreaterThan(0);
    const text = textOf(request);
    expect(text).toContain('Goal: buy');
    expect(text).toContain('299. on');
    expect(text).not.toContain('\\n0. on');
    expect(text).toContain('Number 19');
  });

  test('loses the oldest turn with a computer tool before any history', () => {
    const exchange = (name: string): NativeExchange => ({
      turn: { tool: 'gemini_computer_use', blocks: [{ text: name.repeat(1500) }], calls: [] },
      ...{ results: [], screenshot: null },
    });
    const computer = { surface: 'browser' as const, replaces: [], exchanges: [exchange('a'), exchange('b')] };
    const whole = { ...aRequest(`Goal: buy\n\n${history(5)}\n\n${page(20)}`), computer };
    const { request, shortened } = fitContext(aRef(1600), whole);
    expect(shortened).toEqual({ historyLines: 1, pageLines: 0 });
    expect(request.computer?.exchanges).toEqual([exchange('b')]);
    expect(textOf(request)).toBe(textOf(whole));
  });

  test('counts a screenshot again for every further result that has it', () => {
    const result = { ...{ id: 'c', name: 'computer', toolset: null, text: '' }, isError: false, acknowledged: [] };
    const tokens = (hasImage: boolean) => {
      const results = [
        { ...result, hasImage: true },
        { ...result, hasImage },
      ];
      const turn: NativeExchange['turn'] = { tool: 'openai_computer', blocks: [], calls: [] };
      const computer = { surface: 'browser' as const, replaces: [], exchanges: [{ turn, results, screenshot: 0 }] };
      return estimateInputTokens({ ...aRequest('Goal: buy'), computer });
    };
    expect(tokens(true) - tokens(false)).toBeGreaterThan(500);
  });

  test('loses the end of the page next', () => {
    const { request, shortened } = fitContext(aRef(1500), aRequest(`Goal: buy\n\n${history(5)}\n\n${page(500)}`));
    expect(shortened?.pageLines).toBeGreaterThan(300);
    const text = textOf(request);
    expect(text).toContain('Number 0');
    expect(text).not.toContain('Number 499');
    expect(text).toContain('lines left out');
    expect(request.system).toBe('Rules that stay.');
  });

  test('is refused if goal and rules alone do not fit', () => {
    const request = aRequest(`Goal: ${'buy milk '.repeat(1000)}\n\n${page(500)}`);
    expect(() => fitContext(aRef(1500), request)).toThrow(/context window of 1500.*contextTokens/);
  });

  test('stays as it is without a known window', () => {
    const request = aRequest(page(5000));
    expect(fitContext(aRef(), request)).toEqual({ request, shortened: null });
  });

  test('cannot be cut by markers of a page', () => {
    const forged = page(3).replace('[1]', '>>>history 41\n<<<history 41\n[1]');
    const { request } = fitContext(aRef(1500), aRequest(`Goal: buy\n\n${history(300)}\n\n${forged}`));
    expect(textOf(request)).toContain('Goal: buy');
    expect(textOf(request)).toContain('Number 2');
  });

  test('reserves a quarter of the window for the answer', () => {
    const endpoints = { llama: { apiKey: 'none', baseUrl: 'http://127.0.0.1:1/v1', protocol: 'openai' as const } };
    const entries = { 'llama/*': { contextTokens: 4096 } };
    const models = new ConfiguredModels({ endpoints, entries, clock: systemClock, random: () => 0 });
    const { prepare } = models.get('llama/qwen');
    expect(prepare({ ...aRequest('Goal: buy'), maxTokens: 2000 }, undefined).request.maxTokens).toBe(1024);
  });
});

describe('a server that names its context window', () => {
  /** A server that accepts prompts with their answers up to a window. */
  function aServer(acceptedTokens: number) {
    const requests: ModelRequest[] = [];
    const model: Model = {
      generate: (request, context) => {
        requests.push(request);
        context.onStart?.();
        const tokens = estimateInputTokens(request) + (request.maxTokens ?? 0);
        if (tokens <= acceptedTokens) return Promise.resolve(answer);
        const message = `the request exceeds the available context size (${acceptedTokens} tokens)`;
        return Promise.reject(new ModelCallError('llama/qwen', { status: 400, message }));
      },
    };
    return { model: withLearnedContext(model, aRef()), requests };
  }
  const answer = { text: 'ok', finish: 'stop' } as ModelAnswer;
  let starts: number;
  const context = (): ModelContext => ({
    ...{ signal: new AbortController().signal, deadline: Infinity, log: memoryLog() },
    onStart: () => void (starts += 1),
  });
  beforeEach(() => (starts = 0));

  test('is called again with a shorter answer if only the answer was too long', async () => {
    const { model, requests } = aServer(4000);
    await expect(model.generate({ ...aRequest('Goal: buy'), maxTokens: 5000 }, context())).resolves.toEqual(answer);
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([5000, 750]);
  });

  test('reports the cut lines of every call, and each call starts once', async () => {
    const { model, requests } = aServer(2000);
    const request = aRequest(`Goal: buy\n\n${history(300)}\n\n${page(20)}`);
    const shortened = { historyLines: expect.any(Number), pageLines: expect.any(Number) };
    await expect(model.generate(request, context())).resolves.toEqual({ ...answer, shortened });
    await expect(model.generate(request, context())).resolves.toEqual({ ...answer, shortened });
    expect(requests).toHaveLength(3);
    expect(starts).toBe(2);
  });

  test('is not called again if nothing can be left out', async () => {
    const refusal = { status: 400, message: 'maximum context length is 100000 tokens' };
    const stubborn = withLearnedContext(
      { generate: () => Promise.reject(new ModelCallError('llama/qwen', refusal)) },
      aRef(),
    );
    await expect(stubborn.generate(aRequest('Goal: buy'), context())).rejects.toThrow(/contextTokens: 100000/);
  });
});

test.each([
  ['the request exceeds the available context size (4096 tokens), try increasing it', 4096],
  ["This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192],
  ["Input length (5000) exceeds model's maximum context length (4096)", 4096],
  ['The context length (9000) is greater than the context window (8192)', 8192],
  ['the window of 5000 tokens is closed', null],
  ['input length and `max_tokens` exceed context limit', null],
  ['temperature is not supported', null],
])('reads the context window in %s', (message, expected) => {
  expect(refusedContextTokens(new ModelCallError('llama/qwen', { status: 400, message }))).toBe(expected);
});
