import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Model, ModelContext } from '@pilothouse/core/ports/model.port';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { isHedgeLost, withFallback, withHedging } from './hedge-and-fallback.ts';
import { ModelCallError } from './provider-errors.ts';

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
const unavailableError = (message: string) => new PilothouseError('MODEL_UNAVAILABLE', message);

describe('withHedging', () => {
  let calls: string[];
  let lostHedges: string[];
  const context = (signal = new AbortController().signal): Context => ({
    signal,
    deadline: Infinity,
    log: memoryLog(),
  });
  const model = (name: string, generate: (context: ModelContext) => Promise<ModelAnswer>): Model => ({
    generate: (_, modelContext) => {
      calls.push(name);
      modelContext.onStart?.();
      return generate(modelContext);
    },
  });
  /** Does not answer until it is aborted. */
  const hangingModel = (name: string) =>
    model(
      name,
      (modelContext) =>
        new Promise((_, reject) => {
          modelContext.signal.addEventListener('abort', () => {
            if (isHedgeLost(modelContext)) lostHedges.push(name);
            reject(modelContext.signal.reason as Error);
          });
        }),
    );
  const quickModel = (name: string) => model(name, async () => answerOf(name));
  const failingModel = (name: string) => model(name, () => Promise.reject(unavailableError(name)));

  let timers: ManualTimers;
  /** Calls with a hedge after 1 ms, and advances the timers. */
  const generateWithHedge = async (first: Model, second: Model) => {
    const call = withHedging(first, second, 1, timers).generate(request, context());
    call.catch(() => undefined);
    await timers.advance(100);
    return call;
  };

  beforeEach(() => {
    timers = new ManualTimers();
    calls = [];
    lostHedges = [];
  });

  test('makes one call if it answers or fails in time', async () => {
    await expect(
      withHedging(quickModel('one'), quickModel('two'), 60_000).generate(request, context()),
    ).resolves.toMatchObject({
      text: 'one',
    });
    await expect(
      withHedging(failingModel('one'), quickModel('two'), 60_000).generate(request, context()),
    ).rejects.toThrow('one');
    expect(calls).toEqual(['one', 'one']);
  });

  test('returns the first answer after the other call is aborted', async () => {
    await expect(generateWithHedge(hangingModel('one'), quickModel('two'))).resolves.toMatchObject({
      text: 'two',
    });
    expect([calls, lostHedges]).toEqual([['one', 'two'], ['one']]);
  });

  test('waits for the first call if the second fails', async () => {
    let answer = (_: ModelAnswer) => {};
    const first = model('one', () => new Promise((resolve) => (answer = resolve)));
    const second = model('two', () => {
      setImmediate(() => answer(answerOf('one')));
      return Promise.reject(unavailableError('two'));
    });
    await expect(generateWithHedge(first, second)).resolves.toMatchObject({ text: 'one' });
  });

  test('throws the error of the first call if both fail', async () => {
    let fail = (_: Error) => {};
    const first = model('one', () => new Promise((_, reject) => (fail = reject)));
    const second = model('two', () => {
      setImmediate(() => fail(unavailableError('one')));
      return Promise.reject(unavailableError('two'));
    });
    await expect(generateWithHedge(first, second)).rejects.toThrow('one');
  });

  /** Waits longer than the hedge delay. */
  const waitLongerThanDelay = () => timers.delay(20);

  test('makes one call if it answers in time but its record takes longer', async () => {
    const first = model('one', async ({ onEnd: ended }) => {
      ended?.(true);
      await waitLongerThanDelay();
      return answerOf('one');
    });
    await expect(generateWithHedge(first, quickModel('two'))).resolves.toMatchObject({
      text: 'one',
    });
    expect(calls).toEqual(['one']);
  });

  test('starts the delay when the call starts', async () => {
    const first: Model = {
      generate: async (_, modelContext) => {
        await waitLongerThanDelay();
        return quickModel('one').generate(request, modelContext);
      },
    };
    await expect(generateWithHedge(first, quickModel('two'))).resolves.toMatchObject({
      text: 'one',
    });
    expect(calls).toEqual(['one']);
  });

  describe('with a fallback as first model', () => {
    /** Recording its failure takes longer than the hedge delay. */
    const failingFirst = model('one', async ({ onEnd: ended }) => {
      ended?.(false);
      await waitLongerThanDelay();
      throw unavailableError('one');
    });

    test('the delay restarts for the fallback', async () => {
      const first = withFallback([failingFirst, quickModel('two')]);
      await expect(generateWithHedge(first, quickModel('three'))).resolves.toMatchObject({
        text: 'two',
      });
      expect(calls).toEqual(['one', 'two']);
    });

    test('the hedge starts if the fallback does not answer in time', async () => {
      const first = withFallback([failingFirst, hangingModel('two')]);
      await expect(generateWithHedge(first, quickModel('three'))).resolves.toMatchObject({
        text: 'three',
      });
      expect([calls, lostHedges]).toEqual([['one', 'two', 'three'], ['two']]);
    });
  });

  test('aborts the second call when the first has answered, before its answer is recorded', async () => {
    const hedgeAborted = Promise.withResolvers<true>();
    const first = model('one', async ({ onEnd: ended }) => {
      await until('the second call starts', () => calls.length === 2);
      ended?.(true);
      await hedgeAborted.promise;
      return answerOf('one');
    });
    const silentSecond = hangingModel('two');
    const second: Model = {
      generate: (_, context) => silentSecond.generate(request, context).finally(() => hedgeAborted.resolve(true)),
    };
    await expect(generateWithHedge(first, second)).resolves.toMatchObject({ text: 'one' });
    expect(lostHedges).toEqual(['two']);
  });

  test('throws the error of recording the first answer', async () => {
    const second = model('two', ({ onEnd: ended }) => {
      ended?.(true);
      return Promise.reject(new PilothouseError('LEASE_LOST', 'Another attempt holds the run'));
    });
    await expect(generateWithHedge(hangingModel('one'), second)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    expect(lostHedges).toEqual(['one']);
  });

  test('an aborted request loses no hedge', async () => {
    const stop = new AbortController();
    const call = withHedging(hangingModel('one'), quickModel('two'), 60_000).generate(request, context(stop.signal));
    stop.abort(new Error('The gateway stops'));
    await expect(call).rejects.toThrow('The gateway stops');
    expect([calls, lostHedges]).toEqual([['one'], []]);
  });
});

describe('withFallback', () => {
  const contextOf = (): ModelContext => ({
    signal: new AbortController().signal,
    deadline: Infinity,
    log: memoryLog(),
  });
  const withImage: ModelRequest = {
    ...request,
    role: 'vision',
    messages: [{ role: 'user', parts: [{ image: { contentType: 'image/jpeg', data: 'AA==' } }] }],
  };
  const failing = (error: PilothouseError): Model => ({ generate: () => Promise.reject(error) });
  const answering: Model = { generate: () => Promise.resolve(answerOf('next')) };
  const unreachable = new ModelCallError('work/b', { status: null, message: 'connect ECONNREFUSED' });
  const rejecting = (status: number) => new ModelCallError('work/a', { status, message: 'no images' });

  test.each([400, 404, 422])('calls the next model after HTTP %d to a request with images', async (status) => {
    const model = withFallback([failing(rejecting(status)), answering]);
    await expect(model.generate(withImage, contextOf())).resolves.toMatchObject({ text: 'next' });
  });

  test.each([
    ['rejects it', [failing(rejecting(400)), failing(unreachable)], [], 'MODEL_REFUSED'],
    ['does not know it', [failing(unreachable), failing(rejecting(404))], [], 'MODEL_NOT_CONFIGURED'],
    [
      'takes no images',
      [failing(unreachable)],
      [new PilothouseError('MODEL_NOT_CONFIGURED', 'work/a takes no images')],
      'MODEL_NOT_CONFIGURED',
    ],
  ] as const)(
    'a request with images fails permanently if one model %s and the other is unreachable',
    async (_, models, rejections, code) => {
      await expect(withFallback(models, rejections).generate(withImage, contextOf())).rejects.toMatchObject({
        code,
        message: expect.stringMatching(
          /^No model answered a request with images: .*work\/b could not be reached: connect ECONNREFUSED.*model with image input for the role "vision"$/,
        ),
      });
    },
  );

  test('a request without images may succeed later if one model was unreachable', async () => {
    const withoutKey = new PilothouseError('MODEL_NOT_CONFIGURED', 'No API key for openai/c');
    for (const errors of [
      [unreachable, withoutKey],
      [withoutKey, unreachable],
    ])
      await expect(withFallback(errors.map(failing)).generate(request, contextOf())).rejects.toMatchObject({
        code: 'MODEL_UNAVAILABLE',
        message: expect.stringContaining('No API key for openai/c'),
      });
    await expect(withFallback([failing(rejecting(400)), answering]).generate(request, contextOf())).rejects.toThrow(
      'work/a answered HTTP 400',
    );
  });
});
