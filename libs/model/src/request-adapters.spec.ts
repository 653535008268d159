import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Model, ModelContext } from '@pilothouse/core/ports/model.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import type { ModelRef } from './model-endpoint.ts';
import { withTextDialect } from './request-adapters.ts';

const ref: ModelRef = {
  provider: 'acme',
  model: 'pilot-1',
  protocol: 'openai',
  entry: {},
};

const aRequest: ModelRequest = {
  role: 'vision',
  prompt: { name: 'spec', version: 1 },
  system: 'You operate a browser.',
  messages: [{ role: 'user', parts: [{ text: 'Goal: buy rope' }] }],
  tools: [{ name: 'done', description: 'The goal is met', parameters: { type: 'object', properties: {} } }],
};

/** Requests that a model with this answer receives in four calls. */
async function requestsOf(answer: Pick<ModelAnswer, 'calls' | 'native'>): Promise<ModelRequest[]> {
  const requests: ModelRequest[] = [];
  const model: Model = {
    generate: async (request) => {
      requests.push(request);
      const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };
      return { text: '', finish: 'calls', usage, usd: null, ...answer } as ModelAnswer;
    },
  };
  const context: ModelContext = { signal: new AbortController().signal, deadline: Infinity, log: memoryLog() };
  const adapter = withTextDialect(model, model, ref, systemClock);
  for (let call = 0; call < 4; call += 1) await adapter.generate(aRequest, context);
  return requests;
}

test.each<[string, Pick<ModelAnswer, 'calls' | 'native'>, boolean]>([
  [
    'uses its computer tool keeps the functions',
    {
      calls: [{ name: 'left_click', args: {} }],
      native: { tool: 'openai_computer', blocks: [], calls: [] },
    },
    true,
  ],
  ['calls an unknown function is asked for JSON', { calls: [{ name: 'left_click', args: {} }] }, false],
])('a model that %s', async (_, answer, hasFunctions) => {
  expect((await requestsOf(answer)).at(-1)?.tools !== undefined).toBe(hasFunctions);
});
