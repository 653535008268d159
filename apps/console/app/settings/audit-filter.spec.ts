import { auditFilterOf, auditQueryOf, auditSearchOf } from './audit-filter.ts';

const empty = { actor: '', action: '', target: '', from: '', to: '' };

test('a URL and its filter contain the same values', () => {
  const search = 'actor=ada%40example.com&action=createApiKey&target=ci&from=2026-05-01&to=2026-05-04';
  const filter = auditFilterOf(new URLSearchParams(search));
  expect(filter).toEqual({
    ...{ actor: 'ada@example.com', action: 'createApiKey', target: 'ci' },
    ...{ from: '2026-05-01', to: '2026-05-04' },
  });
  expect(auditSearchOf(filter).toString()).toBe(search);
});

test('invalid days are ignored', () => {
  expect(auditFilterOf(new URLSearchParams('from=yesterday&to=2026-13-45'))).toEqual(empty);
});

test('the last day is included', () => {
  expect(auditQueryOf({ ...empty, from: '2026-05-01', to: '2026-05-01' })).toEqual({
    since: '2026-05-01T00:00:00.000Z',
    until: '2026-05-02T00:00:00.000Z',
  });
  expect(auditQueryOf(empty)).toEqual({});
});
