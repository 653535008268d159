import { changesOf } from './form-changes.ts';

test('differing values are listed by field', () => {
  const previous = { max: 3, retention: { runsDays: null, eventsDays: 30 }, egress: ['a'], name: 'same' };
  const next = { max: 5, retention: { runsDays: 7, eventsDays: 30 }, egress: ['a', 'b'], name: 'same' };
  expect(changesOf(previous, next)).toEqual([
    { field: 'max', previous: '3', next: '5' },
    { field: 'retention.runsDays', previous: 'none', next: '7' },
    { field: 'egress', previous: '["a"]', next: '["a","b"]' },
  ]);
});

test('an entry without values has no changes, and long values are truncated', () => {
  expect(changesOf(null, null)).toEqual([]);
  const [change] = changesOf({ text: '' }, { text: 'x'.repeat(500) });
  expect(change?.next).toHaveLength(121);
});
