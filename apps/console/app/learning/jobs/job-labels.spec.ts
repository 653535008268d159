import { jobLinksOf, jobSubjectOf, progressText } from './job-labels.ts';

const id = '01990000-0000-7000-8000-000000000001';
const run = '01990000-0000-7000-8000-000000000002';

test.each([
  ['score', { run }, null, ['/learning/traces/' + run, '/runs/' + run]],
  ['build_dataset', { dataset: run }, null, ['/learning/datasets/' + run]],
  ['export', { dataset: run, export: id }, null, [`/learning/datasets/${run}#export-${id}`]],
  ['tune', { name: 'orders' }, null, ['/learning/tuning/' + id]],
  ['tune', { name: 'orders' }, { registered: 'orders' }, ['/learning/tuning/' + id, '/learning/models/orders']],
  ['evaluate', { dataset: run, model: 'orders' }, null, ['/learning/datasets/' + run, '/learning/models/orders']],
  ['evaluate', { dataset: run, model: 'vllm/base' }, null, ['/learning/datasets/' + run]],
  ['score', { run: '../settings' }, null, ['/learning/traces/..%2Fsettings', '/runs/..%2Fsettings']],
  ['score', null, null, []],
  ['build_dataset', { dataset: 7 }, null, []],
] as const)('a job of kind %s with %j and result %j links to %j', (kind, params, result, links) => {
  expect(jobLinksOf({ id, kind, params, result }).map(({ href }) => href)).toEqual(links);
});

test('the subject of a tuning job is its name, and of a score its run', () => {
  expect(jobSubjectOf({ kind: 'tune', params: { name: 'orders' } })).toBe('orders');
  expect(jobSubjectOf({ kind: 'score', params: { run } })).toBe('01990000-0000');
  expect(jobSubjectOf({ kind: 'export', params: { export: id } })).toBeUndefined();
});

test('progress has its total if it is known', () => {
  expect(progressText({ done: 2000, total: 10_000, unit: 'steps' })).toBe('2,000 of 10,000 steps');
  expect(progressText({ done: 3, total: null, unit: 'steps' })).toBe('3 steps');
  expect(progressText({ done: 0, total: 1, unit: 'steps' })).toBe('0 of 1 step');
});
