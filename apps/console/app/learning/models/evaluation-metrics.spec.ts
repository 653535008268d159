import type { Job } from '@pilothouse/contract/job/job.schema';
import type { EvaluationResult } from '@pilothouse/contract/learning/offline-evaluation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { evaluationJobsOf, metricsOf } from './evaluation-metrics.ts';

const rate = { successes: 3, trials: 4, low: 0.3, high: 0.95 };
const aResult = (facts: Partial<EvaluationResult> = {}) =>
  ({
    ...{ model: 'vllm/rope', dataset: 'orders@1', split: 'test', job: 'a-job' },
    ...{
      actionMatchRate: rate,
      kindMatchRate: rate,
      targetMatchRate: rate,
      textMatchRate: rate,
      grounding: null,
      usd: null,
      latencyMs: null,
    },
    ...{ tokens: { input: 1, output: 1, cached: 0 }, errors: [{ reason: 'x', count: 1, examples: [] }], skipped: [] },
    ...facts,
  }) as unknown as Json;

test('results of evaluations are separated from other metrics', () => {
  const { evaluations, others } = metricsOf({ 'offline:orders@1': aResult(), loss: 0.5 });
  expect(evaluations).toMatchObject([{ dataset: 'orders@1', actionMatchRate: rate }]);
  expect(others).toEqual([['loss', 0.5]]);
});

test.each<[string, Json]>([
  ['a text', 'good'],
  ['null', null],
  ['a list', [1]],
  ['a rate without an interval', aResult({ actionMatchRate: { successes: 1, trials: 2 } as never })],
  ['errors without a count', aResult({ errors: [{ reason: 'x' }] as never })],
  ['a latency without a median', aResult({ latencyMs: {} as never })],
])('%s is no result of an evaluation', (_title, value) => {
  expect(metricsOf({ 'offline:orders@1': value })).toEqual({ evaluations: [], others: [['offline:orders@1', value]] });
});

test('a model has the newest result of its base, and its newest job, for each dataset', () => {
  const aJob = (id: string, model: string, facts: object) =>
    ({
      id,
      kind: 'evaluate',
      params: { model },
      status: 'completed',
      result: null,
      ...facts,
    }) as Partial<Job> as Job;
  const jobs = [
    aJob('1', 'rope', { status: 'running' }),
    aJob('2', 'vllm/base', { result: aResult({ job: 'newer' }) }),
    aJob('3', 'vllm/base', { result: aResult({ job: 'older' }) }),
    aJob('4', 'vllm/other', { status: 'failed' }),
    aJob('5', 'vllm/base', { status: 'failed' }),
    aJob('6', 'rope', { status: 'failed' }),
    aJob('7', 'rope', { status: 'failed', params: { model: 'rope', dataset: 'other' } }),
  ];
  const { baseEvaluations, unfinished } = evaluationJobsOf({ name: 'rope', base: 'vllm/base' }, jobs);
  expect(baseEvaluations.map(({ job }) => job)).toEqual(['newer']);
  expect(unfinished.map(({ id }) => id)).toEqual(['1', '7']);
  expect(evaluationJobsOf({ name: 'rope', base: null }, jobs).baseEvaluations).toEqual([]);
});
