import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { UnusableAnswerError, type Model } from '@pilothouse/core/ports/model.port';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { Breaker, type RetryOptions, withRetry } from './retry-and-breaker.ts';
import { withFallback } from './hedge-and-fallback.ts';
import { parseModelName } from './model-endpoint.ts';
import { estimate, priceUsd } from './model-registry.ts';
import { ModelCallError, ModelSilenceError } from './provider-errors.ts';

const NOW = new Date('2026-11-30T00:00:00Z');

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
const callError = (status: number | null, retryAfterMs?: number) =>
  new ModelCallError('spec', { status, message: 'Scripted', retryAfterMs });

describe('withRetry', () => {
  let now: number;
  let waits: number[];
  let calls: number;
  const clock = { now: () => new Date(now), monotonic: () => now };
  const context = (fields: Partial<Context> = {}): Context => ({
    signal: new AbortController().signal,
    deadline: 60_000,
    log: memoryLog(),
    ...fields,
  });
  /** Throws or answers in this order; each call takes 10 ms. */
  const scripted = (...script: (Error | ModelAnswer)[]): Model => ({
    generate: async () => {
      now += 10;
      const next = script[Math.min(calls++, script.length - 1)]!;
      if (next instanceof Error) throw next;
      return next;
    },
  });
  const options = (fields: Partial<RetryOptions> = {}): RetryOptions => ({
    clock,
    random: () => 1,
    maxAttempts: 4,
    baseMs: 1_000,
    maxMs: 3_000,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
    ...fields,
  });

  beforeEach(() => {
    now = 0;
    waits = [];
    calls = 0;
  });

  test('calls a silent stream again only within the limit of a call', async () => {
    const model = scripted(new ModelSilenceError('It sent no data'));
    await expect(withRetry(model, options({ maxSilenceMs: 1_015 })).generate(request, context())).rejects.toThrow(
      'no data',
    );
    expect(calls).toBe(2);
  });

  test('doubles the delay up to a maximum, and returns the total duration', async () => {
    const model = withRetry(scripted(callError(500), callError(null), callError(503), answer), options());
    await expect(model.generate(request, context())).resolves.toMatchObject({ text: 'Yes', durationMs: 6_040 });
    expect(waits).toEqual([1_000, 2_000, 3_000]);
  });

  test('uses the delay of the provider if longer', async () => {
    const model = withRetry(scripted(callError(429, 8_000), callError(429, 5), answer), options({ random: () => 0 }));
    await model.generate(request, context());
    expect(waits).toEqual([8_000, 5]);
  });

  test('calls onStart once, after the first beforeCall', async () => {
    const events: string[] = [];
    const scriptedModel = scripted(callError(503), answer);
    const model = withRetry(
      { generate: (...given) => (events.push('call'), scriptedModel.generate(...given)) },
      options({ beforeCall: async () => void events.push('before') }),
    );
    await model.generate(request, { ...context(), onStart: () => void events.push('start') });
    expect(events).toEqual(['before', 'start', 'call', 'before', 'call']);
  });

  test('does not call onStart if aborted in beforeCall', async () => {
    const stop = new AbortController();
    const startEvents: string[] = [];
    const model = withRetry(scripted(answer), options({ beforeCall: async () => stop.abort(new Error('Aborted')) }));
    const given = { ...context({ signal: stop.signal }), startEvents: () => void startEvents.push('start') };
    await expect(model.generate(request, given)).rejects.toThrow('Aborted');
    expect([calls, startEvents]).toEqual([0, []]);
  });

  test('does not wait beyond the deadline', async () => {
    const model = withRetry(scripted(callError(429, 90_000), answer), options());
    await expect(model.generate(request, context())).rejects.toMatchObject({ status: 429 });
    expect(waits).toEqual([]);
  });

  test('stops after the maximum of attempts', async () => {
    const model = withRetry(scripted(callError(500)), options());
    await expect(model.generate(request, context())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(calls).toBe(4);
  });

  test.each([callError(400), callError(401), new UnusableAnswerError('No JSON', answer)])(
    'does not retry: %s',
    async (error) => {
      await expect(withRetry(scripted(error, answer), options()).generate(request, context())).rejects.toBe(error);
      expect(calls).toBe(1);
    },
  );

  test('the breaker opens after consecutive failures, and allows a probe call after a pause', async () => {
    const breaker = new Breaker({ clock, name: 'spec', failureThreshold: 2, resetTimeoutMs: 30_000 });
    const model = withRetry(
      scripted(callError(500), callError(500), callError(500), answer),
      options({ maxAttempts: 1, breaker }),
    );
    const generateOnce = () => model.generate(request, context({ deadline: Infinity }));
    await expect(generateOnce()).rejects.toMatchObject({ status: 500 });
    await expect(generateOnce()).rejects.toMatchObject({ status: 500 });
    await expect(generateOnce()).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('is open'),
    });
    expect(calls).toBe(2);
    now += 30_000;
    await expect(generateOnce()).rejects.toMatchObject({ status: 500 });
    await expect(generateOnce()).rejects.toMatchObject({ message: expect.stringContaining('is open') });
    now += 30_000;
    await expect(generateOnce()).resolves.toMatchObject({ text: 'Yes' });
    await expect(generateOnce()).resolves.toMatchObject({ text: 'Yes' });
    expect(calls).toBe(5);
  });

  test('rate limits do not open the breaker', async () => {
    const breaker = new Breaker({ clock, name: 'spec', failureThreshold: 1, resetTimeoutMs: 30_000 });
    const model = withRetry(scripted(callError(429), answer), options({ maxAttempts: 1, breaker }));
    await expect(model.generate(request, context())).rejects.toMatchObject({ status: 429 });
    await expect(model.generate(request, context())).resolves.toMatchObject({ text: 'Yes' });
  });

  test('short timeouts do not open the breaker', async () => {
    const breaker = new Breaker({ clock, name: 'spec', failureThreshold: 1, resetTimeoutMs: 30_000 });
    const timeoutError = new PilothouseError('MODEL_UNAVAILABLE', 'It did not answer in time');
    const model = withRetry(scripted(timeoutError, timeoutError, answer), options({ maxAttempts: 1, breaker }));
    const generateWithin = (ms: number) => model.generate(request, context({ deadline: now + ms }));
    await expect(generateWithin(5_000)).rejects.toBe(timeoutError);
    await expect(generateWithin(60_000)).rejects.toBe(timeoutError);
    await expect(generateWithin(60_000)).rejects.toMatchObject({ message: expect.stringContaining('is open') });
    expect(calls).toBe(2);
  });

  test('falls back if a model is unavailable or unknown, not if an answer was blocked', async () => {
    const next: Model = { generate: async () => ({ ...answer, model: 'fallback' }) };
    for (const error of [callError(500), callError(401)]) {
      await expect(withFallback([scripted(error), next]).generate(request, context())).resolves.toMatchObject({
        model: 'fallback',
      });
    }
    const refusalError = new PilothouseError('MODEL_REFUSED', 'Blocked');
    await expect(withFallback([scripted(refusalError), next]).generate(request, context())).rejects.toBe(refusalError);
    await expect(withFallback([]).generate(request, context())).rejects.toMatchObject({ code: 'MODEL_NOT_CONFIGURED' });
  });
});

test('parses model names with slashes', () => {
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
    NOW,
  );
  if (usd === null) expect(price).toBeNull();
  else expect(price).toBeCloseTo(usd, 10);
});

test('estimates texts, images, and the maximum answer', () => {
  const ref = { provider: 'openai', protocol: 'openai' as const, model: 'gpt-5-mini' };
  const { tokens, usd } = estimate(ref, { ...request, maxTokens: 1_000 }, NOW);
  expect(tokens).toBeGreaterThanOrEqual(1_100);
  expect(tokens).toBeLessThan(1_110);
  expect(usd).toBeCloseTo(((tokens - 1_000) * 0.25 + 1_000 * 2) / 1e6, 12);
  const image = { contentType: 'image/jpeg' as const, data: 'A'.repeat(400_000) };
  const messages = [{ role: 'user' as const, parts: [{ image }] }];
  expect(estimate({ ...ref, model: 'home-made' }, { ...request, messages }, NOW)).toEqual({
    model: 'openai/home-made',
    tokens: 2_000 + 4_096,
    usd: null,
    input: { tokens: 2_000, usd: null },
  });
});
