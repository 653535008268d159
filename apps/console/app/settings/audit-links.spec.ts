import { auditLinksOf, auditNameOf } from './audit-links.ts';

const [first, second] = ['0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', '0190aaaa-cccc-7ccc-8ddd-eeeeeeeeeeee'];

test.each([
  ['a run', { resource: 'runs', target: first, details: {} }, [`/runs/${first}`]],
  [
    'a retry and its new run',
    { resource: 'runs', target: first, details: { id: second } },
    [`/runs/${first}`, `/runs/${second}`],
  ],
  [
    'the runs of a batch',
    { resource: 'runs', target: null, details: { runs: [first, second] } },
    [`/runs/${first}`, `/runs/${second}`],
  ],
  [
    'a new workflow, by its name',
    { resource: 'workflows', target: first, details: { name: 'read-tides' } },
    ['/workflows/read-tides'],
  ],
  [
    'a run of a workflow',
    { resource: 'workflows', target: 'read-tides', details: { id: first } },
    ['/workflows/read-tides', `/runs/${first}`],
  ],
  [
    'a dataset and not its export',
    { resource: 'datasets', target: first, details: { id: second } },
    [`/learning/datasets/${first}`],
  ],
  ['a tuning job', { resource: 'tuning', target: first, details: { name: 'rope' } }, [`/learning/tuning/${first}`]],
  ['a new model', { resource: 'registry', target: first, details: { name: 'rope' } }, ['/learning/models/rope']],
  ['a changed model', { resource: 'registry', target: 'rope', details: {} }, ['/learning/models/rope']],
])('links %s', (_, entry, expected) => {
  expect(auditLinksOf(entry).map(({ href }) => href)).toEqual(expected);
});

test('names a key by its name, an invitation by its email address', () => {
  expect(auditNameOf({ details: { name: 'ci', role: 'viewer' } })).toBe('ci');
  expect(auditNameOf({ details: { email: 'ada@harbour.example' } })).toBe('ada@harbour.example');
  expect(auditNameOf({ details: { name: 7 } })).toBeNull();
});

test('links nothing else', () => {
  expect(auditLinksOf({ resource: 'api-keys', target: first, details: { id: second } })).toEqual([]);
  expect(auditLinksOf({ resource: null, target: null, details: {} })).toEqual([]);
});
