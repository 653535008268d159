import type { ModelCheck } from '@pilothouse/contract/model/model-check.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { modelsCommand } from './models.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(() => api.stop());
beforeEach(() => (api.requests.length = 0));

const run = (...args: string[]) => runCli(modelsCommand, args, { url: api.url, now: new Date('2026-05-04T12:00:00Z') });

const anAbility = (facts: Partial<ModelCheck['abilities'][number]> = {}): ModelCheck['abilities'][number] => ({
  ...{ ability: 'text', works: true, detail: 'ready', seconds: 1.25, tokensPerSecond: 20.5 },
  ...facts,
});
const aCheck = (facts: Partial<ModelCheck> = {}): ModelCheck => ({
  ...{ model: 'llama/qwen', abilities: [anAbility()], dialect: 'calls', settings: {}, tokens: 90, usd: null },
  ...facts,
});

test('a check shows the abilities and what to add to the settings', async () => {
  const functions = anAbility({ ability: 'functions', works: false, detail: 'It called no function' });
  const settings = { dialect: 'aura' as const, acceptsImages: false };
  api.handlers.checkModel = () => aCheck({ abilities: [anAbility(), functions], dialect: 'aura', settings, usd: 0.25 });
  const { out, code } = await run('check', 'llama/qwen');
  expect(code).toBe(0);
  expect(api.of('checkModel')[0]?.body).toEqual({ model: 'llama/qwen' });
  expect(out).toMatch(/text +yes +1[.][23] +20[.]5 +ready/);
  expect(out).toMatch(/functions +no .*It called no function/);
  expect(out).toContain('Used 90 tokens ($0.2500).');
  expect(out).toContain('Recommended dialect: aura.');
  expect(out).toContain('Add to PILOTHOUSE_MODEL_OVERRIDES: {"llama/qwen":{"dialect":"aura","acceptsImages":false}}');
});

test('a check with unknown abilities recommends nothing', async () => {
  const functions = anAbility({ ability: 'functions', works: null, detail: 'HTTP 429', tokensPerSecond: null });
  api.handlers.checkModel = () => aCheck({ abilities: [anAbility(), functions], dialect: null });
  const { out } = await run('check');
  expect(api.of('checkModel')[0]?.body).toEqual({});
  expect(out).toMatch(/functions +unknown/);
  expect(out).toContain('Some calls got no answer. Check the model again');
  expect(out).not.toContain('Recommended');
});

test('a check of a model that does not work says what to correct', async () => {
  const text = anAbility({ works: false, detail: 'HTTP 404', tokensPerSecond: null });
  api.handlers.checkModel = () => aCheck({ abilities: [text], dialect: null });
  expect((await run('check', 'llama/qwen')).out).toContain('Correct its endpoint, name or key first.');
});

test('prices show their source, age and announced change', async () => {
  api.handlers.listModelPrices = () => ({
    items: [
      { model: 'llama/*', input: 1, output: 2, source: null },
      {
        ...{ model: 'gemini/x', input: 0.75, output: 3.75, cacheRead: 0.075 },
        changes: { from: '2027-01-01', input: 1.5, output: 7.5 },
        source: { kind: 'provider', url: 'https://prices.test', read: '2026-05-01' },
      },
    ],
  });
  const { out } = await run('prices');
  expect(out).toMatch(/llama\/[*] +1 +2 +PILOTHOUSE_MODEL_OVERRIDES/);
  expect(out).toMatch(
    /gemini\/x +0[.]75 +3[.]75 +0[.]075 +3 d +provider: https:\/\/prices[.]test; from 2027-01-01: 1[.]5 \/ 7[.]5/,
  );
});
