import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { modelAnswerSchema, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { modelAdapters } from './configured-models.ts';
import type { Provider } from './model-endpoint.ts';

/*
 * HTTP 200 responses that violate the protocol of the provider: truncated, with missing or unexpected values.
 */

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: 'You operate a browser.',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
  tools: [{ name: 'press', description: 'Presses', parameters: { type: 'object', properties: {} } }],
};

/** Request paths of the providers. */
const paths: Record<Provider, { base: string; path: string; streamed?: string }> = {
  gemini: {
    base: '',
    path: '/v1beta/models/policy:generateContent',
    streamed: '/v1beta/models/policy:streamGenerateContent?alt=sse',
  },
  openai: { base: '/v1', path: '/v1/chat/completions' },
  anthropic: { base: '', path: '/v1/messages' },
};

/** Seeded random generator (mulberry32), for reproducible failures. */
function random(seed: number) {
  let state = seed;
  return (max: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * (max + 1));
  };
}

const unexpectedValues: readonly Json[] = [
  null,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  '{',
  true,
  [],
  {},
  [null],
  [[]],
  { text: 5 },
  '__proto__',
];

/** Removes or replaces one node of a value. */
function corrupt(value: Json, randomInt: (max: number) => number): Json {
  if (typeof value !== 'object' || value === null || randomInt(4) === 0)
    return unexpectedValues[randomInt(unexpectedValues.length - 1)] ?? null;
  if (Array.isArray(value)) {
    const corruptIndex = randomInt(Math.max(0, value.length - 1));
    return value.length === 0
      ? [unexpectedValues[randomInt(unexpectedValues.length - 1)] ?? null]
      : value.map((item, index) => (index === corruptIndex ? corrupt(item, randomInt) : item));
  }
  const keys = Object.keys(value);
  const key = keys[randomInt(Math.max(0, keys.length - 1))] ?? '';
  if (randomInt(3) === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return { ...value, [key]: corrupt(value[key] ?? null, randomInt) };
}

/** Removes or replaces one event of a stream. */
function corruptStream(stream: string, randomInt: (max: number) => number): string {
  const frames = stream.split('\n\n').filter(Boolean);
  const corruptIndex = randomInt(frames.length - 1);
  const [, head = '', data = ''] = /^([\s\S]*?data: )(.*)$/.exec(frames[corruptIndex] ?? '') ?? [];
  if (randomInt(3) === 0 || !data.startsWith('{')) frames.splice(corruptIndex, 1);
  else frames[corruptIndex] = head + JSON.stringify(corrupt(JSON.parse(data) as Json, randomInt));
  return frames.map((frame) => `${frame}\n\n`).join('');
}

const ROUNDS = 200;

const variants = (Object.keys(paths) as Provider[]).flatMap((provider) => [
  { provider, delivery: 'whole', stream: false },
  { provider, delivery: 'piece by piece', stream: true },
]);

describe.each(variants)('malformed responses of $provider, $delivery', ({ provider, stream }) => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModels();
  });
  afterAll(() => server.close());

  test('cause MODEL_INVALID or a partial answer, and no other error', async () => {
    const { base, path: plainPath, streamed = plainPath } = paths[provider];
    const path = stream ? streamed : plainPath;
    const endpoint = { apiKey: 'a-key', baseUrl: server.url + base, stream };
    const model = modelAdapters[provider]({ endpoint, model: 'policy', clock: systemClock });
    server.next({
      text: 'Pressing.',
      calls: [{ name: 'press', args: { index: 5 } }],
      usage: { input: 1000, output: 100, cached: 400 },
    });
    const validResponse = await fetch(server.url + path, {
      method: 'POST',
      body: JSON.stringify({ model: 'policy', stream }),
    });
    const validText = await validResponse.text();
    // A stream may also be interrupted.
    const expectedOutcomes = new Set(['MODEL_INVALID', 'answer', ...(stream ? ['MODEL_UNAVAILABLE'] : [])]);
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const randomInt = random(seed);
      let text = validText;
      for (let remaining = randomInt(2); remaining >= 0; remaining -= 1)
        text = stream ? corruptStream(text, randomInt) : JSON.stringify(corrupt(JSON.parse(text) as Json, randomInt));
      const raw = randomInt(4) === 0 ? text.slice(0, randomInt(text.length)) : text;
      server.next({ raw });
      const outcome = await model
        .generate(request, {
          signal: new AbortController().signal,
          deadline: systemClock.monotonic() + 20_000,
          log: memoryLog(),
        })
        .then(
          (answer) => (modelAnswerSchema.safeParse(answer).success ? 'answer' : `no answer: ${JSON.stringify(answer)}`),
          (error: unknown) => (error instanceof PilothouseError ? error.code : String(error)),
        );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (!expectedOutcomes.has(outcome)) throw new Error(`Seed ${seed}: ${outcome} from ${raw}`);
    }
    // All outcomes must occur, or the test has no effect.
    expect([...outcomes.keys()].toSorted()).toEqual([...expectedOutcomes].toSorted());
  });
});
