import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Model, ModelContext } from '@pilothouse/core/ports/model.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { isNeverStreamed } from './openai/openai.model.ts';
import { ModelTimeoutError } from './provider-errors.ts';
import { silenceMsOf, withTimeLimit } from './time-limit.ts';

const ref = { provider: 'llama', model: 'qwen', protocol: 'openai' as const };
const clock = { ...systemClock, monotonic: () => 1000 };
const request: ModelRequest = { role: 'act', prompt: { name: 'spec', version: 1 }, system: '', messages: [] };
const context = (deadline: number): ModelContext => ({
  signal: new AbortController().signal,
  deadline,
  log: memoryLog(),
});

/** Deadline that a call gets, and its error when it passes. */
async function callWith(seconds: number | undefined, isStreamed: boolean, deadline: number) {
  let received = 0;
  const model: Model = {
    generate: (_, { deadline: given }) => {
      received = given;
      return Promise.reject(new ModelTimeoutError('llama/qwen did not answer in time'));
    },
  };
  const limited = withTimeLimit(model, ref, { seconds, isStreamed: () => isStreamed }, clock);
  const error = await limited.generate(request, context(deadline)).catch((thrown: Error) => thrown.message);
  return { received, error };
}

test.each([
  ['the default', undefined, false, 121_000, /within 120 s.*raise `timeoutSeconds` of "llama"/],
  ['the setting', 300, false, 301_000, /within 300 s.*"llama\/qwen" in PILOTHOUSE_MODEL_OVERRIDES/],
  ['the maximum', 600, false, 601_000, /within 600 s. This is the maximum/],
  ['the maximum for a stream, which is bounded by its silence', 30, true, 601_000, /This is the maximum/],
])('a call is bounded by %s', async (_, seconds, isStreamed, deadline, message) => {
  expect(await callWith(seconds, isStreamed, 10_000_000)).toEqual({
    received: deadline,
    error: expect.stringMatching(message),
  });
});

test('an earlier deadline of the caller holds, and its error names no setting', async () => {
  expect(await callWith(300, false, 5_000)).toEqual({ received: 5_000, error: 'llama/qwen did not answer in time' });
});

test.each([
  ['the default', { stream: true }, undefined, 60_000],
  ['the setting of the endpoint', { stream: true, timeoutSeconds: 300 }, undefined, 300_000],
  ['the setting of the model', { stream: true, timeoutSeconds: 300 }, { timeoutSeconds: 200 }, 200_000],
  ['nothing without a stream', { timeoutSeconds: 300 }, undefined, undefined],
])('the silence of a stream is bounded by %s', (_, endpoint, entry, silenceMs) => {
  expect(silenceMsOf({ endpoint: { apiKey: 'a-key', ...endpoint }, entry })).toBe(silenceMs);
});

test('a call of the computer tool of OpenAI is not streamed', () => {
  const openai = { provider: 'openai', model: 'computer-use-preview', protocol: 'openai' as const };
  const computer = { screen: { width: 800, height: 600 }, tool: 'openai_computer' as const, replaces: [] };
  expect(isNeverStreamed(openai, {}, { ...request, computer } as unknown as ModelRequest)).toBe(true);
  expect(isNeverStreamed(openai, {}, request)).toBe(false);
});
