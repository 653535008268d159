import { PilothouseError, type ModelAnswer, type ModelRequest } from '@pilothouse/contract';
import type { Context, Model } from '@pilothouse/core';
import { memoryLog } from '@pilothouse/testing';
import { hedged, isOutrun } from './hedge.ts';

const request: ModelRequest = {
  role: 'act',
  prompt: { name: 'spec', version: 1 },
  system: '',
  messages: [{ role: 'user', parts: [{ text: 'What next?' }] }],
};
const answerOf = (text: string): ModelAnswer => ({
  text,
  calls: [],
  finish: 'stop',
  provider: 'openai',
  model: 'spec',
  usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
  usd: null,
  ms: 1,
});
const away = (what: string) => new PilothouseError('MODEL_UNAVAILABLE', what);

describe('a model that is asked a second time', () => {
  let asked: string[];
  let outrun: string[];
  const context = (signal = new AbortController().signal): Context => ({
    signal,
    deadline: Infinity,
    log: memoryLog(),
  });
  const model = (name: string, generate: (context: Context) => Promise<ModelAnswer>): Model => ({
    generate: (_, given) => {
      asked.push(name);
      return generate(given);
    },
  });
  /** Answers nothing until it is given up. */
  const silent = (name: string) =>
    model(
      name,
      (given) =>
        new Promise((_, reject) => {
          given.signal.addEventListener('abort', () => {
            if (isOutrun(given)) outrun.push(name);
            reject(given.signal.reason as Error);
          });
        }),
    );
  const quick = (name: string) => model(name, async () => answerOf(name));
  const failing = (name: string) => model(name, () => Promise.reject(away(name)));

  beforeEach(() => {
    asked = [];
    outrun = [];
  });

  test('is asked once when it answers, or fails, in time', async () => {
    await expect(hedged(quick('one'), quick('two'), 60_000).generate(request, context())).resolves.toMatchObject({
      text: 'one',
    });
    await expect(hedged(failing('one'), quick('two'), 60_000).generate(request, context())).rejects.toThrow('one');
    expect(asked).toEqual(['one', 'one']);
  });

  test('the first answer counts, and the other call is given up before it is used', async () => {
    await expect(hedged(silent('one'), quick('two'), 1).generate(request, context())).resolves.toMatchObject({
      text: 'two',
    });
    expect([asked, outrun]).toEqual([['one', 'two'], ['one']]);
  });

  test('a second call that fails leaves the first its time', async () => {
    let answer = (_: ModelAnswer) => {};
    const first = model('one', () => new Promise((resolve) => (answer = resolve)));
    const second = model('two', () => {
      setImmediate(() => answer(answerOf('one')));
      return Promise.reject(away('two'));
    });
    await expect(hedged(first, second, 1).generate(request, context())).resolves.toMatchObject({ text: 'one' });
  });

  test('when both fail it is the first that is told', async () => {
    let fail = (_: Error) => {};
    const first = model('one', () => new Promise((_, reject) => (fail = reject)));
    const second = model('two', () => {
      setImmediate(() => fail(away('one')));
      return Promise.reject(away('two'));
    });
    await expect(hedged(first, second, 1).generate(request, context())).rejects.toThrow('one');
  });

  test('nobody is outrun when all is given up', async () => {
    const stop = new AbortController();
    const call = hedged(silent('one'), quick('two'), 60_000).generate(request, context(stop.signal));
    stop.abort(new Error('The gateway stops'));
    await expect(call).rejects.toThrow('The gateway stops');
    expect([asked, outrun]).toEqual([['one'], []]);
  });
});
