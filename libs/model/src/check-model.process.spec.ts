import type { ModelContext } from '@pilothouse/core/ports/model.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { startOddServer } from '@pilothouse/testing/model-server/odd-server';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CallLedger } from './charged-call.ts';
import { checkModel } from './check-model.ts';
import { ConfiguredModels } from './configured-models.ts';

const context = (): ModelContext => ({
  signal: new AbortController().signal,
  deadline: systemClock.monotonic() + 60_000,
  log: memoryLog(),
});

/** A ledger that keeps what was recorded. */
function memoryLedger() {
  const outcomes: string[] = [];
  const ledger: CallLedger = {
    open: () =>
      Promise.resolve({
        end: () => undefined,
        recordAnswer: (_answer, outcome) => Promise.resolve(void outcomes.push(outcome)),
        recordFailure: ({ code }, { tokens }) =>
          Promise.resolve(void outcomes.push(tokens > 0 ? `${code} with tokens` : code)),
        release: () => Promise.resolve(),
      }),
  };
  return { ledger, outcomes };
}

const modelsAt = (baseUrl: string) =>
  new ConfiguredModels({
    endpoints: { llama: { protocol: 'openai', apiKey: 'none', baseUrl } },
    clock: systemClock,
    random: () => 0,
  });

describe('a check of a model', () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModels();
  });
  afterEach(() => server.close());

  const check = (ledger = memoryLedger().ledger) =>
    checkModel(modelsAt(`${server.url}/v1`).checked('llama/qwen'), ledger, context(), systemClock);

  test('of a model that can do everything recommends function calls and no settings', async () => {
    server.next(
      { text: 'ready' },
      { calls: [{ name: 'click', args: { element: 7 } }] },
      { text: '{"color":"green"}' },
      { text: 'Red.' },
      { text: 'one two three four five' },
    );
    const { ledger, outcomes } = memoryLedger();
    const result = await check(ledger);
    expect(result.abilities.map(({ ability, works }) => [ability, works])).toEqual([
      ['text', true],
      ['functions', true],
      ['schema', true],
      ['image', true],
      ['streaming', true],
    ]);
    expect(result).toMatchObject({ model: 'llama/qwen', dialect: 'calls', settings: {}, usd: null });
    expect(result.tokens).toBeGreaterThan(0);
    expect(outcomes).toEqual(['stop', 'calls', 'stop', 'stop', 'stop']);
    expect(server.requests.map(({ stream }) => stream)).toEqual([false, false, false, false, true]);
    expect(server.requests[3]?.images).toHaveLength(1);
  });

  test('of a text model recommends JSON and says what to set', async () => {
    server.next(
      { text: 'ready' },
      { text: 'I click the element.' },
      { status: 400, message: 'response_format is not supported' },
      { status: 500, message: 'image input is not supported' },
      { text: 'one two three four five' },
    );
    const result = await check();
    expect(result).toMatchObject({ dialect: 'aura', settings: { dialect: 'aura', acceptsImages: false } });
    expect(result.abilities.map(({ works, detail }) => [works, detail])).toEqual([
      [true, 'ready'],
      [false, 'It called no function'],
      [false, expect.stringContaining('response_format is not supported')],
      [false, expect.stringContaining('image input is not supported')],
      [true, expect.stringContaining('one two')],
    ]);
  });

  test.each(['It has shared colors.', 'It is rendered in blue.', 'Red or green.', 'I see no image.'])(
    'does not take %j for red',
    async (text) => {
      server.next({ text: 'ready' }, { calls: [{ name: 'click', args: { element: 7 } }] });
      server.next({ text: '{"color":"green"}' }, { text }, { text: 'one two three' });
      await expect(check()).resolves.toMatchObject({ settings: { acceptsImages: false } });
    },
  );

  test('recommends nothing from calls without an answer', async () => {
    server.next(
      { text: 'ready' },
      { status: 429, message: 'Too many requests' },
      { text: '{"color":"green"}' },
      { status: 503, message: 'multimodal models are overloaded' },
      { status: 401, message: 'The key sk-1 is wrong' },
    );
    const result = await check();
    expect(result.abilities.map(({ works }) => works)).toEqual([true, null, true, null, null]);
    expect(result).toMatchObject({ dialect: null, settings: {} });
    expect(JSON.stringify(result)).not.toContain('sk-1');
  });

  test('knows nothing of a model whose first call is rejected for its rate', async () => {
    server.next({ status: 429, message: 'Too many requests' });
    await expect(check()).resolves.toMatchObject({
      dialect: null,
      abilities: [{ ability: 'text', works: null, detail: expect.stringContaining('HTTP 429') }],
    });
  });

  test('charges a call that timed out, and makes no call after the deadline', async () => {
    server.next({ hangs: true });
    const { ledger, outcomes } = memoryLedger();
    const models = modelsAt(`${server.url}/v1`).checked('llama/qwen');
    const deadline = systemClock.monotonic() + 300;
    const result = await checkModel(models, ledger, { ...context(), deadline }, systemClock);
    expect(result.abilities).toMatchObject([{ ability: 'text', works: null }]);
    expect(outcomes).toEqual(['MODEL_UNAVAILABLE with tokens']);
  });

  test('waits for the rate limit of the key before each call', async () => {
    const endpoints: string[] = [];
    const models = new ConfiguredModels({
      endpoints: { llama: { protocol: 'openai', apiKey: 'none', baseUrl: `${server.url}/v1` } },
      clock: systemClock,
      random: () => 0,
      turn: (endpoint) => Promise.resolve(void endpoints.push(endpoint)),
    });
    server.next({ status: 404, message: 'model not found' });
    await checkModel(models.checked('llama/qwen'), memoryLedger().ledger, context(), systemClock);
    expect(endpoints).toEqual(['llama']);
  });

  test('ends with the reason of its signal', async () => {
    const abort = new AbortController();
    abort.abort(new Error('The caller is gone'));
    const models = modelsAt(`${server.url}/v1`).checked('llama/qwen');
    const aborted = { ...context(), signal: abort.signal };
    await expect(checkModel(models, memoryLedger().ledger, aborted, systemClock)).rejects.toThrow('The caller is gone');
    expect(server.requests).toEqual([]);
  });

  test('ends after the first call if the model does not answer at all', async () => {
    server.next({ status: 404, message: 'model not found' });
    await expect(check()).resolves.toMatchObject({
      dialect: null,
      settings: {},
      abilities: [{ ability: 'text', works: false, detail: expect.stringContaining('HTTP 404') }],
    });
    expect(server.requests).toHaveLength(1);
  });

  test('ends with the error of an exceeded budget', async () => {
    const ledger: CallLedger = {
      open: () => Promise.reject(new PilothouseError('BUDGET_EXCEEDED', 'Nothing is left')),
    };
    await expect(check(ledger)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  });

  test('reports an unknown endpoint', () => {
    expect(() => modelsAt(server.url).checked('nowhere/qwen')).toThrow(/No endpoint for nowhere\/qwen/);
  });

  test('of a model that writes calls as text says so', async () => {
    const odd = await startOddServer();
    try {
      const result = await checkModel(
        modelsAt(odd.url).checked('llama/textcall'),
        memoryLedger().ledger,
        context(),
        systemClock,
      );
      expect(result.abilities.find(({ ability }) => ability === 'functions')).toMatchObject({
        works: false,
        detail: 'It wrote the call as text',
      });
    } finally {
      await odd.close();
    }
  });
});
