import { jobFilterOf, jobSearchOf } from './job-filter.ts';

test.each([
  ['', { kind: '', status: '' }],
  ['kind=tune&status=failed', { kind: 'tune', status: 'failed' }],
  ['kind=mine&status=toString', { kind: '', status: '' }],
])('the filter of %j is %j', (search, filter) => {
  expect(jobFilterOf(new URLSearchParams(search))).toEqual(filter);
});

test('a filter and a cursor become the query of a URL', () => {
  expect(jobSearchOf({ kind: 'export', status: '' }, 'abc')).toBe('kind=export&cursor=abc');
  expect(jobSearchOf({ kind: '', status: '' })).toBe('');
});
