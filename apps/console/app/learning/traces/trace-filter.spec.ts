import { queueFilterOf, queueSearchOf, traceFilterOf } from './trace-filter.ts';

const read = (search: string) => queueFilterOf(new URLSearchParams(search));

test.each([
  ['', { needsReview: true }],
  ['review=all', {}],
  ['review=done&quality=bad&quality=good', { needsReview: false, quality: ['bad', 'good'] }],
  ['review=all&workflow=order&model=a/x&surface=desktop', { workflow: 'order', model: 'a/x', surface: 'desktop' }],
  ['review=all&text=%20ropes%20', { search: 'ropes' }],
  ['review=all&from=2026-02-28&to=2026-02-28', { from: '2026-02-28T00:00:00Z', to: '2026-03-01T00:00:00.000Z' }],
])('%j selects %j', (search, filter) => expect(traceFilterOf(read(search))).toEqual(filter));

test.each(['review=maybe', 'quality=great', 'workflow=Not%20a%20name', 'surface=paper', 'from=soon', 'to=2026-99-99'])(
  'an invalid value is ignored: %s',
  (search) => expect(read(search)).toEqual(read('')),
);

test('a filter is written to the URL and read back', () => {
  const search = 'review=done&quality=bad&workflow=order&model=a%2Fx&surface=browser&from=2026-01-01&text=50%25';
  expect(queueSearchOf(read(search)).toString()).toBe(search);
  expect(queueSearchOf(read('')).toString()).toBe('');
});
