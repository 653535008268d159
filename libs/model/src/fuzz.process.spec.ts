import { modelAnswerSchema, PilothouseError, type Json, type ModelRequest } from '@pilothouse/contract';
import { systemClock } from '@pilothouse/core';
import { memoryLog, startModels, type ModelServer } from '@pilothouse/testing';
import { modelAdapters } from './model-adapters.ts';
import type { Provider } from './model-endpoint.ts';

/*
 * Answers with HTTP 200 that are not what the provider promises: cut off, with parts missing, or with others in their place.
 */

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: 'You operate a browser.',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
  tools: [{ name: 'press', description: 'Presses', parameters: { type: 'object', properties: {} } }],
};

/** Where each provider is asked; the server answers whatever is in the body. */
const paths: Record<Provider, { base: string; path: string; streamed?: string }> = {
  gemini: {
    base: '',
    path: '/v1beta/models/policy:generateContent',
    streamed: '/v1beta/models/policy:streamGenerateContent?alt=sse',
  },
  openai: { base: '/v1', path: '/v1/chat/completions' },
  anthropic: { base: '', path: '/v1/messages' },
};

/** A small generator with a seed (mulberry32), so that what fails can be run again. */
function random(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * (most + 1));
  };
}

const strangers: readonly Json[] = [
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

/** The value with one of its nodes gone or another. */
function broken(value: Json, draw: (most: number) => number): Json {
  if (typeof value !== 'object' || value === null || draw(4) === 0)
    return strangers[draw(strangers.length - 1)] ?? null;
  if (Array.isArray(value)) {
    const at = draw(Math.max(0, value.length - 1));
    return value.length === 0
      ? [strangers[draw(strangers.length - 1)] ?? null]
      : value.map((one, index) => (index === at ? broken(one, draw) : one));
  }
  const keys = Object.keys(value);
  const key = keys[draw(Math.max(0, keys.length - 1))] ?? '';
  if (draw(3) === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return { ...value, [key]: broken(value[key] ?? null, draw) };
}

/** The stream with one of its events gone or another. */
function brokenStream(stream: string, draw: (most: number) => number): string {
  const frames = stream.split('\n\n').filter(Boolean);
  const at = draw(frames.length - 1);
  const [, head = '', data = ''] = /^([\s\S]*?data: )(.*)$/.exec(frames[at] ?? '') ?? [];
  if (draw(3) === 0 || !data.startsWith('{')) frames.splice(at, 1);
  else frames[at] = head + JSON.stringify(broken(JSON.parse(data) as Json, draw));
  return frames.map((frame) => `${frame}\n\n`).join('');
}

const ROUNDS = 200;

const ways = (Object.keys(paths) as Provider[]).flatMap((provider) => [
  { provider, way: 'whole', stream: false },
  { provider, way: 'piece by piece', stream: true },
]);

describe.each(ways)('answers of $provider that are none, $way', ({ provider, stream }) => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModels();
  });
  afterAll(() => server.close());

  test('are told as such, or read as far as they go; nothing else is thrown', async () => {
    const { base, path: plain, streamed = plain } = paths[provider];
    const path = stream ? streamed : plain;
    const endpoint = { apiKey: 'a-key', baseUrl: server.url + base, stream };
    const model = modelAdapters[provider]({ endpoint, model: 'policy', clock: systemClock });
    server.next({
      text: 'Pressing.',
      calls: [{ name: 'press', args: { index: 5 } }],
      usage: { input: 1000, output: 100, cached: 400 },
    });
    const answered = await fetch(server.url + path, {
      method: 'POST',
      body: JSON.stringify({ model: 'policy', stream }),
    });
    const whole = await answered.text();
    // A stream may also break off.
    const allowed = new Set(['MODEL_INVALID', 'answer', ...(stream ? ['MODEL_UNAVAILABLE'] : [])]);
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const draw = random(seed);
      let text = whole;
      for (let times = draw(2); times >= 0; times -= 1)
        text = stream ? brokenStream(text, draw) : JSON.stringify(broken(JSON.parse(text) as Json, draw));
      const raw = draw(4) === 0 ? text.slice(0, draw(text.length)) : text;
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
      if (!allowed.has(outcome)) throw new Error(`Seed ${seed}: ${outcome} from ${raw}`);
    }
    // Both happen, else nothing was tried.
    expect([...outcomes.keys()].toSorted()).toEqual([...allowed].toSorted());
  });
});
