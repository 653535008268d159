import { changesOf } from './form-changes.ts';

test('differing values are listed by field', () => {
  const before = { max: 3, retention: { runsDays: null, eventsDays: 30 }, egress: ['a'], name: 'same' };
  const after = { max: 5, retention: { runsDays: 7, eventsDays: 30 }, egress: ['a', 'b'], name: 'same' };
  expect(changesOf(before, after)).toEqual([
    { field: 'max', from: '3', to: '5' },
    { field: 'retention.runsDays', from: 'none', to: '7' },
    { field: 'egress', from: '["a"]', to: '["a","b"]' },
  ]);
});

test('an entry without values has no changes, and long values are truncated', () => {
  expect(changesOf(null, null)).toEqual([]);
  const [change] = changesOf({ text: '' }, { text: 'x'.repeat(500) });
  expect(change?.to).toHaveLength(121);
});
