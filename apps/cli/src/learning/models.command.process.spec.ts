import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { modelsCommand } from './models.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(() => api.stop());
beforeEach(() => (api.requests.length = 0));

const timestamp = '2026-05-04T12:00:00.000Z';
const aModel = (facts: Partial<RegisteredModel> = {}): RegisteredModel => ({
  ...{
    id: id(1),
    name: 'rope-v2',
    model: 'vllm/rope-v2',
    base: 'vllm/qwen3-vl',
    role: 'act',
    surface: null,
    dialect: null,
  },
  ...{
    region: null,
    description: null,
    dataset: null,
    job: null,
    metrics: {},
    stage: 'registered',
    canaryPercent: null,
    shadowPercent: null,
  },
  ...{ stageChangedAt: timestamp, createdBy: null, createdAt: timestamp, runs: null, shadow: null, transitions: [] },
  ...facts,
});
const run = (...args: string[]) => runCli(modelsCommand, args, { url: api.url, now: new Date('2026-05-04T12:10:00Z') });

test('the list shows stage, scope and success', async () => {
  const stats = (successes: number) => ({ successes, trials: 20, low: 0.5, high: 0.9 });
  const canary = aModel({ stage: 'canary', canaryPercent: 10, runs: { candidate: stats(14), base: stats(19) } });
  api.handlers.listRegisteredModels = () => ({
    items: [canary, aModel({ name: 'old', role: null })],
    nextCursor: null,
  });
  const { out } = await run('list');
  expect(out).toMatch(/rope-v2 +canary 10 % +10 min ago +act +vllm\/rope-v2 +14\/20 +19\/20/);
  expect(out).toMatch(/old +registered +10 min ago +all calls/);
});

test('an empty list says how to register a model', async () => {
  api.handlers.listRegisteredModels = () => ({ items: [], nextCursor: null });
  expect((await run('list')).err).toContain('npx pilothouse models register <name> <endpoint/model>');
});

test('a model is registered with its options', async () => {
  api.handlers.registerModel = () => aModel();
  const { out } = await run('register', 'rope-v2', 'vllm/rope-v2', '--base', 'vllm/qwen3-vl', '--role', 'act');
  expect(api.of('registerModel')[0]?.body).toEqual({
    ...{ name: 'rope-v2', model: 'vllm/rope-v2', base: 'vllm/qwen3-vl', role: 'act', metrics: {} },
  });
  expect(out).toContain('registered since 10 min ago');
});

test('an invalid model is refused before the request', async () => {
  const { code, err } = await run('register', 'rope-v2', 'gpt');
  expect([code, api.requests.length]).toEqual([2, 0]);
  expect(err).toContain('/model: Use endpoint/model');
});

test('a canary, a promotion and a rollback show the history', async () => {
  const transitions = [
    {
      from: 'active',
      to: 'rolled_back',
      canaryPercent: null,
      shadowPercent: null,
      reason: 'Failures',
      by: null,
      at: timestamp,
    },
  ] as const;
  api.handlers.startCanary = () => aModel({ stage: 'canary', canaryPercent: 10 });
  api.handlers.promoteModel = () => aModel({ stage: 'active' });
  api.handlers.rollBackModel = () => aModel({ stage: 'rolled_back', transitions: [...transitions] });
  expect((await run('canary', 'rope-v2', '--percent', '10')).out).toContain('canary 10 % since');
  expect(api.of('startCanary')[0]?.body).toEqual({ percent: 10 });
  expect((await run('promote', 'rope-v2')).out).toContain('active since');
  const { out } = await run('rollback', 'rope-v2', '--reason', 'Failures');
  expect(out).toContain('10 min ago: active → rolled back, by Pilothouse. Failures');
  expect((await run('canary', 'rope-v2', '--percent', '100')).err).toContain('--percent must be 1 to 99');
});

test('a shadow shows its agreement', async () => {
  const shadow = {
    ...{ calls: 100, agreed: 72, disagreed: 18, undetermined: 6, failed: 4, low: 0.71, high: 0.87 },
    ...{ inputTokens: 1000, outputTokens: 100, usd: 0.5, medianMs: 1200 },
  };
  api.handlers.startShadow = () => aModel({ stage: 'shadow', shadowPercent: 20, shadow });
  const { out } = await run('shadow', 'rope-v2', '--percent', '20', '--reason', 'Try it');
  expect(api.of('startShadow')[0]).toMatchObject({
    params: { model: 'rope-v2' },
    body: { percent: 20, reason: 'Try it' },
  });
  expect(out).toContain('shadow 20 % since 10 min ago');
  expect(out).toContain(
    '72 of 90 compared actions agree, 95 % interval 71–87 %; 100 calls, 4 failed, median 1.2 s, $0.5000',
  );
});

test('a share above 100 % is refused before the request', async () => {
  const { code, err } = await run('shadow', 'rope-v2', '--percent', '101');
  expect([code, api.requests.length]).toEqual([2, 0]);
  expect(err).toContain('--percent must be 1 to 100.');
});
