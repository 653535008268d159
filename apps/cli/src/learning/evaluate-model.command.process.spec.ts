import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { EvaluationResult } from '@pilothouse/contract/learning/offline-evaluation.schema';
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
const run = (...args: string[]) => runCli(modelsCommand, args, { url: api.url });
const rate = (successes: number, trials: number) => ({ successes, trials, low: 0.4, high: 0.9 });
const aResult = (model: string, successes: number): EvaluationResult => ({
  ...{ model, dataset: 'orders@2', split: 'test', job: id(1) },
  ...{
    actionMatchRate: rate(successes, 100),
    kindMatchRate: rate(90, 100),
    targetMatchRate: rate(40, 80),
    textMatchRate: rate(0, 0),
  },
  grounding: { count: 80, medianPixels: 12.4, medianShare: 0.01, p90Pixels: 300, p90Share: 0.2 },
  ...{ tokens: { input: 1000, output: 200, cached: 0 }, usd: 0.1234, latencyMs: { median: 1500, p90: 3000 } },
  errors: [{ reason: 'The answer called no function.', count: 2, examples: [] }],
  skipped: [{ reason: 'The quality of the step is not known', count: 3, examples: [] }],
});
const aJob = (facts: Partial<Job> = {}): Job => ({
  ...{
    id: id(1),
    kind: 'evaluate',
    status: 'queued',
    params: {},
    progress: null,
    result: null,
    error: null,
    attempts: 1,
  },
  ...{ runAt: timestamp, isCancelRequested: false, budgetUsd: null, usedUsd: 0, usedTokens: 0 },
  ...{ createdBy: null, createdAt: timestamp, startedAt: null, finishedAt: null },
  ...facts,
});

const aDataset = (facts: Partial<DatasetView>): DatasetView => ({
  ...{
    id: id(7),
    name: 'orders',
    version: 2,
    status: 'ready',
    isStale: false,
    query: { qualities: ['good'] },
    seed: 1,
    license: '',
  },
  ...{ shares: { train: 0.8, validation: 0.1, test: 0.1 }, consent: '', exampleCount: 100, job: null, error: null },
  ...{ createdBy: null, createdAt: timestamp, finishedAt: timestamp },
  ...facts,
});
const aModel: RegisteredModel = {
  ...{ id: id(9), name: 'rope-v2', model: 'vllm/rope-v2', base: 'vllm/qwen3-vl', role: null, surface: null },
  ...{ dialect: null, region: null, description: null, dataset: null, job: null, metrics: {}, stage: 'registered' },
  ...{
    canaryPercent: null,
    shadowPercent: null,
    stageChangedAt: timestamp,
    createdBy: null,
    createdAt: timestamp,
    runs: null,
    shadow: null,
    transitions: [],
  },
};

test('a model and its base are compared in one table', async () => {
  api.handlers.listDatasets = () => ({
    items: [
      aDataset({ id: id(8), version: 3, status: 'building' }),
      aDataset({ id: id(7), version: 2 }),
      aDataset({ id: id(6), version: 1 }),
    ],
    nextCursor: null,
  });
  api.handlers.readRegisteredModel = () => aModel;
  let started = 0;
  api.handlers.startEvaluation = () => aJob({ id: id((started += 1)) });
  api.handlers.streamJob = ({ params }) => [
    aJob({ status: 'running' }),
    aJob({
      status: 'completed',
      result: (params.job === id(1) ? aResult('vllm/rope-v2', 80) : aResult('vllm/qwen3-vl', 55)) as never,
    }),
  ];
  const { out, code } = await run('evaluate', 'rope-v2', '--dataset', 'orders', '--against', 'base', '--limit', '100');
  expect(code).toBe(0);
  expect(api.of('startEvaluation').map(({ body }) => body)).toEqual([
    { model: 'rope-v2', dataset: id(7), split: 'test', limit: 100 },
    { model: 'vllm/qwen3-vl', dataset: id(7), split: 'test', limit: 100 },
  ]);
  expect(out).toMatch(/rope-v2 +80\/100 +80 % +40–90 % +90 % +50 % +– +12 px +1\.5 s +1200 +\$0\.1234 +2\n/);
  expect(out).toMatch(/vllm\/qwen3-vl +55\/100/);
  expect(out).toContain('Skipped: 3 × The quality of the step is not known');
  expect(out).toMatch(/rope-v2 against vllm\/qwen3-vl: \+25 percentage points, .* The difference is significant\./);
});

test('an unavailable API does not end the waiting, and the job id is printed first', async () => {
  api.handlers.startEvaluation = () => aJob();
  let connections = 0;
  api.handlers.streamJob = () => {
    connections += 1;
    if (connections === 1) return new PilothouseError('UNAVAILABLE', 'The database does not answer.');
    // The second connection breaks.
    if (connections === 2) return [aJob({ status: 'running' })];
    return [aJob({ status: 'completed', result: aResult('vllm/rope-v2', 80) as never })];
  };
  const { code, out, err } = await run('evaluate', 'rope-v2', '--dataset', id(7));
  expect([code, connections]).toEqual([0, 3]);
  expect(api.of('streamJob').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, undefined, '0']);
  expect(err).toContain(`Evaluation of rope-v2: job ${id(1)}`);
  expect(out).toContain('80/100');
});

test('a job that is deleted while the command waits is an error', async () => {
  api.handlers.startEvaluation = () => aJob();
  api.handlers.streamJob = () => [];
  const { code, err } = await run('evaluate', 'rope-v2', '--dataset', id(7));
  expect(code).toBe(1);
  expect(err).toContain('was deleted');
});

test('a failed evaluation says how to continue', async () => {
  api.handlers.startEvaluation = () => aJob();
  const error = { code: 'BUDGET_EXCEEDED', message: 'The budget of the job is used up.', retry: 'no' } as const;
  api.handlers.streamJob = () => [aJob({ status: 'failed', error })];
  const { code, err } = await run('evaluate', 'rope-v2', '--dataset', id(7), '--budget-usd', '0.01');
  expect(code).toBe(1);
  expect(err).toContain('The budget of the job is used up.');
  expect(err).toContain('npx pilothouse jobs retry');
});

test('an unknown dataset is refused before a job starts', async () => {
  api.handlers.listDatasets = () => ({ items: [], nextCursor: null });
  const { code, err } = await run('evaluate', 'rope-v2', '--dataset', 'none');
  expect([code, api.of('startEvaluation').length]).toEqual([2, 0]);
  expect(err).toContain('No ready dataset none.');
});

test('a dataset is named by a prefix of its id, unless a dataset has this name', async () => {
  api.handlers.startEvaluation = () => aJob();
  api.handlers.streamJob = () => [aJob({ status: 'completed', result: aResult('vllm/rope-v2', 80) as never })];
  const named = aDataset({ id: id(5), name: 'face' });
  const unnamed = aDataset({ id: 'face1234-0000-7000-8000-000000000000' });
  const evaluated = async (datasets: DatasetView[]) => {
    api.requests.length = 0;
    api.handlers.listDatasets = ({ query: { name } }) => ({
      items: datasets.filter((dataset) => name === undefined || dataset.name === name),
      nextCursor: null,
    });
    await run('evaluate', 'rope-v2', '--dataset', 'face');
    return api.of('startEvaluation').map(({ body }) => (body as { dataset: string }).dataset);
  };
  expect(await evaluated([unnamed])).toEqual([unnamed.id]);
  expect(await evaluated([unnamed, named])).toEqual([named.id]);
});
