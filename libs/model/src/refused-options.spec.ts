import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { NoImageInputError, type ModelContext } from '@pilothouse/core/ports/model.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import type { ModelRef } from './model-endpoint.ts';
import { ModelCallError } from './provider-errors.ts';
import { withImageSupport } from './refused-options.ts';

const ref: ModelRef = { provider: 'llama', model: 'qwen', protocol: 'openai' };
const context: ModelContext = { signal: new AbortController().signal, deadline: Infinity, log: memoryLog() };
const answer = { text: 'A cat', finish: 'stop' } as ModelAnswer;
const request: ModelRequest = {
  role: 'vision',
  prompt: { name: 'check', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ image: { contentType: 'image/jpeg', data: 'A' } }] }],
};

const MESSAGE = 'image input is not supported';
const HOUR_MS = 3_600_000;

/** A model that answers with these statuses in order; 200: an answer. The last status stays. */
function aModel(...statuses: number[]) {
  let nowMs = 0;
  let calls = 0;
  const clock = { now: () => new Date(0), monotonic: () => nowMs };
  const generate = () => {
    const status = statuses[Math.min(calls, statuses.length - 1)] ?? 200;
    calls += 1;
    if (status === 200) return Promise.resolve(answer);
    return Promise.reject(new ModelCallError('llama/qwen', { status, message: MESSAGE }));
  };
  const model = withImageSupport({ generate }, ref, clock);
  return {
    call: () => model.generate(request, context).catch((error: unknown) => error),
    advance: (ms: number) => void (nowMs += ms),
    calls: () => calls,
  };
}

test.each([400, 415, 422, 500, 501])('HTTP %i that names images turns images off for an hour', async (status) => {
  const { call, calls, advance } = aModel(status);
  expect(await call()).toBeInstanceOf(NoImageInputError);
  expect(await call()).toBeInstanceOf(NoImageInputError);
  expect(calls()).toBe(1);
  advance(HOUR_MS);
  await call();
  expect(calls()).toBe(2);
});

test.each([401, 403, 413, 429, 503])('HTTP %i has another reason, and is not quoted as one', async (status) => {
  const { call, calls } = aModel(status, 200);
  expect(await call()).toBeInstanceOf(ModelCallError);
  expect(await call()).toEqual(answer);
  expect(calls()).toBe(2);
});

test('an endpoint that accepted an image within the hour rejected only one image', async () => {
  const { call, advance } = aModel(200, 400, 200, 400);
  expect(await call()).toEqual(answer);
  expect(await call()).toBeInstanceOf(ModelCallError);
  expect(await call()).toEqual(answer);
  advance(HOUR_MS + 1);
  expect(await call()).toBeInstanceOf(NoImageInputError);
});
