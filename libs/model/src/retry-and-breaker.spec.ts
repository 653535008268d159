import { PilothouseError, type ModelAnswer, type ModelRequest } from '@pilothouse/contract';
import { UnusableAnswerError, type Context, type Model } from '@pilothouse/core';
import { memoryLog } from '@pilothouse/testing';
import { Breaker, type RetryOptions, withRetry } from './retry-and-breaker.ts';
import { withFallback } from './hedge-and-fallback.ts';
import { parseModelName } from './model-endpoint.ts';
import { estimate, priceUsd } from './model-registry.ts';
import { ModelCallError } from './provider-errors.ts';

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'x'.repeat(300) }] }],
};
const answer: ModelAnswer = {
  text: 'Yes',
  calls: [],
  finish: 'stop',
  provider: 'openai',
  model: 'spec',
  usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
  usd: null,
  durationMs: 3,
};
const failed = (status: number | null, retryAfterMs?: number) =>
  new ModelCallError('spec', { status, message: 'Scripted', retryAfterMs });

describe('a model that is asked again', () => {
  let now: number;
  let waits: number[];
  let calls: number;
  const clock = { now: () => new Date(now), monotonic: () => now };
  const context = (more: Partial<Context> = {}): Context => ({
    signal: new AbortController().signal,
    deadline: 60_000,
    log: memoryLog(),
    ...more,
  });
  /** Throws, or answers, in this order; each call takes 10 ms. */
  const scripted = (...script: (Error | ModelAnswer)[]): Model => ({
    generate: async () => {
      now += 10;
      const next = script[Math.min(calls++, script.length - 1)]!;
      if (next instanceof Error) throw next;
      return next;
    },
  });
  const options = (more: Partial<RetryOptions> = {}): RetryOptions => ({
    clock,
    random: () => 1,
    tries: 4,
    baseMs: 1_000,
    maxMs: 3_000,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
    ...more,
  });

  beforeEach(() => {
    now = 0;
    waits = [];
    calls = 0;
  });

  test('waits longer each time, at most so long, and says how long it took in all', async () => {
    const model = withRetry(scripted(failed(500), failed(null), failed(503), answer), options());
    await expect(model.generate(request, context())).resolves.toMatchObject({ text: 'Yes', ms: 6_040 });
    expect(waits).toEqual([1_000, 2_000, 3_000]);
  });

  test('waits as long as the provider says, when that is longer', async () => {
    const model = withRetry(scripted(failed(429, 8_000), failed(429, 5), answer), options({ random: () => 0 }));
    await model.generate(request, context());
    expect(waits).toEqual([8_000, 5]);
  });

  test('tells once when it begins: when what comes before its first call is done', async () => {
    const said: string[] = [];
    const asked = scripted(failed(503), answer);
    const model = withRetry(
      { generate: (...given) => (said.push('asked'), asked.generate(...given)) },
      options({ before: async () => void said.push('before') }),
    );
    await model.generate(request, { ...context(), began: () => void said.push('began') });
    expect(said).toEqual(['before', 'began', 'asked', 'before', 'asked']);
  });

  test('does not begin when it is given up in what comes before', async () => {
    const stop = new AbortController();
    const began: string[] = [];
    const model = withRetry(scripted(answer), options({ before: async () => stop.abort(new Error('Given up')) }));
    const given = { ...context({ signal: stop.signal }), began: () => void began.push('began') };
    await expect(model.generate(request, given)).rejects.toThrow('Given up');
    expect([calls, began]).toEqual([0, []]);
  });

  test('does not wait for what is beyond the deadline', async () => {
    const model = withRetry(scripted(failed(429, 90_000), answer), options());
    await expect(model.generate(request, context())).rejects.toMatchObject({ status: 429 });
    expect(waits).toEqual([]);
  });

  test('gives up after its tries', async () => {
    const model = withRetry(scripted(failed(500)), options());
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(calls).toBe(4);
  });

  test.each([failed(400), failed(401), new UnusableAnswerError('No JSON', answer)])('asks once: %s', async (error) => {
    await expect(withRetry(scripted(error, answer), options()).generate(request, context())).rejects.toBe(error);
    expect(calls).toBe(1);
  });

  test('a breaker keeps calls away after failures in a row, and lets one try after a rest', async () => {
    const breaker = new Breaker({ clock, name: 'spec', failures: 2, restMs: 30_000 });
    const model = withRetry(scripted(failed(500), failed(500), failed(500), answer), options({ tries: 1, breaker }));
    const once = () => model.generate(request, context({ deadline: Infinity }));
    await expect(once()).rejects.toMatchObject({ status: 500 });
    await expect(once()).rejects.toMatchObject({ status: 500 });
    await expect(once()).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('a while'),
    });
    expect(calls).toBe(2);
    now += 30_000;
    await expect(once()).rejects.toMatchObject({ status: 500 });
    await expect(once()).rejects.toMatchObject({ message: expect.stringContaining('a while') });
    now += 30_000;
    await expect(once()).resolves.toMatchObject({ text: 'Yes' });
    await expect(once()).resolves.toMatchObject({ text: 'Yes' });
    expect(calls).toBe(5);
  });

  test('a provider that is busy does not open the breaker', async () => {
    const breaker = new Breaker({ clock, name: 'spec', failures: 1, restMs: 30_000 });
    const model = withRetry(scripted(failed(429), answer), options({ tries: 1, breaker }));
    await expect(model.generate(request, context())).rejects.toMatchObject({ status: 429 });
    await expect(model.generate(request, context())).resolves.toMatchObject({ text: 'Yes' });
  });

  test('a provider that was given too little time does not open the breaker', async () => {
    const breaker = new Breaker({ clock, name: 'spec', failures: 1, restMs: 30_000 });
    const late = new PilothouseError('MODEL_UNAVAILABLE', 'It did not answer in time');
    const model = withRetry(scripted(late, late, answer), options({ tries: 1, breaker }));
    const within = (ms: number) => model.generate(request, context({ deadline: now + ms }));
    await expect(within(5_000)).rejects.toBe(late);
    await expect(within(60_000)).rejects.toBe(late);
    await expect(within(60_000)).rejects.toMatchObject({ message: expect.stringContaining('a while') });
    expect(calls).toBe(2);
  });

  test('a chain asks the next where one is away or not known, and not where an answer was blocked', async () => {
    const next: Model = { generate: async () => ({ ...answer, model: 'the next' }) };
    for (const error of [failed(500), failed(401)]) {
      await expect(withFallback([scripted(error), next]).generate(request, context())).resolves.toMatchObject({
        model: 'the next',
      });
    }
    const refused = new PilothouseError('MODEL_REFUSED', 'Blocked');
    await expect(withFallback([scripted(refused), next]).generate(request, context())).rejects.toBe(refused);
    await expect(withFallback([]).generate(request, context())).rejects.toMatchObject({ code: 'MODEL_NOT_CONFIGURED' });
  });
});

test('a model is named with its endpoint, and may hold slashes', () => {
  expect(parseModelName('groq/meta/llama-4')).toEqual({ endpoint: 'groq', model: 'meta/llama-4' });
  expect([parseModelName('openai/'), parseModelName('gpt-5'), parseModelName('/x')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ['gemini-2.5-pro', 100_000, 0, 1.25 * 0.1 + 10 * 0.001],
  ['gemini-2.5-pro', 300_000, 0, 2.5 * 0.3 + 15 * 0.001],
  ['gemini-2.5-pro', 300_000, 100_000, 2.5 * 0.2 + 0.25 * 0.1 + 15 * 0.001],
  ['gemini-2.5-flash-preview-09-2025', 100_000, 0, 0.3 * 0.1 + 2.5 * 0.001],
  ['gemini-2.5-flash-image', 100_000, 0, null],
])('the price of %s with %i tokens, %i cached', (model, inputTokens, cachedTokens, usd) => {
  const price = priceUsd(
    { provider: 'gemini', protocol: 'gemini', model },
    { inputTokens, cachedTokens, outputTokens: 1_000 },
  );
  if (usd === null) expect(price).toBeNull();
  else expect(price).toBeCloseTo(usd, 10);
});

test('an estimate counts texts, images, and the answer at its limit', () => {
  const ref = { provider: 'openai', protocol: 'openai' as const, model: 'gpt-5-mini' };
  const { tokens, usd } = estimate(ref, { ...request, maxTokens: 1_000 });
  expect(tokens).toBeGreaterThanOrEqual(1_100);
  expect(tokens).toBeLessThan(1_110);
  expect(usd).toBeCloseTo(((tokens - 1_000) * 0.25 + 1_000 * 2) / 1e6, 12);
  const image = { contentType: 'image/jpeg' as const, data: 'A'.repeat(400_000) };
  const messages = [{ role: 'user' as const, parts: [{ image }] }];
  expect(estimate({ ...ref, model: 'home-made' }, { ...request, messages })).toEqual({
    tokens: 2_000 + 4_096,
    usd: null,
    input: { tokens: 2_000, usd: null },
  });
});
