import { PilothouseError, type ModelAnswer, type ModelRequest } from '@pilothouse/contract';
import type { Context, Model, ModelContext } from '@pilothouse/core';
import { ManualTimers, memoryLog, until } from '@pilothouse/testing';
import { isHedgeLost, withFallback, withHedging } from './hedge-and-fallback.ts';

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
  durationMs: 1,
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
  const model = (name: string, generate: (context: ModelContext) => Promise<ModelAnswer>): Model => ({
    generate: (_, given) => {
      asked.push(name);
      given.began?.();
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
            if (isHedgeLost(given)) outrun.push(name);
            reject(given.signal.reason as Error);
          });
        }),
    );
  const quick = (name: string) => model(name, async () => answerOf(name));
  const failing = (name: string) => model(name, () => Promise.reject(away(name)));

  let timers: ManualTimers;
  /** Asks, with a second call after a millisecond, while time goes on. */
  const ask = async (first: Model, second: Model) => {
    const call = withHedging(first, second, 1, timers).generate(request, context());
    call.catch(() => undefined);
    await timers.advance(100);
    return call;
  };

  beforeEach(() => {
    timers = new ManualTimers();
    asked = [];
    outrun = [];
  });

  test('is asked once when it answers, or fails, in time', async () => {
    await expect(withHedging(quick('one'), quick('two'), 60_000).generate(request, context())).resolves.toMatchObject({
      text: 'one',
    });
    await expect(withHedging(failing('one'), quick('two'), 60_000).generate(request, context())).rejects.toThrow('one');
    expect(asked).toEqual(['one', 'one']);
  });

  test('the first answer counts, and the other call is given up before it is used', async () => {
    await expect(ask(silent('one'), quick('two'))).resolves.toMatchObject({
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
    await expect(ask(first, second)).resolves.toMatchObject({ text: 'one' });
  });

  test('when both fail it is the first that is told', async () => {
    let fail = (_: Error) => {};
    const first = model('one', () => new Promise((_, reject) => (fail = reject)));
    const second = model('two', () => {
      setImmediate(() => fail(away('one')));
      return Promise.reject(away('two'));
    });
    await expect(ask(first, second)).rejects.toThrow('one');
  });

  /** Longer than a millisecond, in which the second would be asked. */
  const aWhile = () => timers.delay(20);

  test('is asked once when it has answered, however long its record takes', async () => {
    const first = model('one', async ({ ended }) => {
      ended?.(true);
      await aWhile();
      return answerOf('one');
    });
    await expect(ask(first, quick('two'))).resolves.toMatchObject({
      text: 'one',
    });
    expect(asked).toEqual(['one']);
  });

  test('has all its time from when it is asked, whatever comes before', async () => {
    const first: Model = {
      generate: async (_, given) => {
        await aWhile();
        return quick('one').generate(request, given);
      },
    };
    await expect(ask(first, quick('two'))).resolves.toMatchObject({
      text: 'one',
    });
    expect(asked).toEqual(['one']);
  });

  describe('when the model at hand is asked because one is away', () => {
    /** Its failure is written down longer than the second would be waited for. */
    const failingFirst = model('one', async ({ ended }) => {
      ended?.(false);
      await aWhile();
      throw away('one');
    });

    test('it has all its time', async () => {
      const first = withFallback([failingFirst, quick('two')]);
      await expect(ask(first, quick('three'))).resolves.toMatchObject({
        text: 'two',
      });
      expect(asked).toEqual(['one', 'two']);
    });

    test('another is asked when it does not answer in that time', async () => {
      const first = withFallback([failingFirst, silent('two')]);
      await expect(ask(first, quick('three'))).resolves.toMatchObject({
        text: 'three',
      });
      expect([asked, outrun]).toEqual([['one', 'two', 'three'], ['two']]);
    });
  });

  test('a second call is given up as soon as the first has answered, and before that is on record', async () => {
    const given = Promise.withResolvers<true>();
    const first = model('one', async ({ ended }) => {
      await until('the second is asked', () => asked.length === 2);
      ended?.(true);
      await given.promise;
      return answerOf('one');
    });
    const silentSecond = silent('two');
    const second: Model = {
      generate: (_, context) => silentSecond.generate(request, context).finally(() => given.resolve(true)),
    };
    await expect(ask(first, second)).resolves.toMatchObject({ text: 'one' });
    expect(outrun).toEqual(['two']);
  });

  test('when the answer that came first cannot be written, it says so', async () => {
    const second = model('two', ({ ended }) => {
      ended?.(true);
      return Promise.reject(new PilothouseError('LEASE_LOST', 'Another attempt holds the run'));
    });
    await expect(ask(silent('one'), second)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    expect(outrun).toEqual(['one']);
  });

  test('nobody is outrun when all is given up', async () => {
    const stop = new AbortController();
    const call = withHedging(silent('one'), quick('two'), 60_000).generate(request, context(stop.signal));
    stop.abort(new Error('The gateway stops'));
    await expect(call).rejects.toThrow('The gateway stops');
    expect([asked, outrun]).toEqual([['one'], []]);
  });
});
