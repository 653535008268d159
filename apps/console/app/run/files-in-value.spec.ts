import { artifactOf, filesIn } from './files-in-value.ts';
import type { RunArtifact } from './run-state.ts';

const artifact = (id: string, name: string, size: number, kind: RunArtifact['kind'] = 'download'): RunArtifact => ({
  ...{ id, name, size, kind, step: 0, contentType: 'text/csv', createdAt: '2026-01-01T00:00:00.000Z' },
});
const artifacts = [
  artifact('a1', 'orders.csv', 10),
  artifact('a2', 'orders.csv', 10),
  artifact('a3', 'invoice.pdf', 20, 'data'),
  artifact('a4', 'turn.json', 30, 'turn'),
];

test.each([
  [{ name: 'orders.csv', contentType: 'text/csv', size: 10 }, 'a2'],
  [{ path: 'out/invoice.pdf', name: 'invoice.pdf', size: 20 }, 'a3'],
  ['a1', 'a1'],
])('%j is the artifact %s', (value, id) => expect(artifactOf(value, artifacts)?.id).toBe(id));

test.each([
  [{ name: 'orders.csv', size: 11 }],
  [{ name: 'orders.csv' }],
  [{ name: 'turn.json', size: 30 }],
  ['orders.csv'],
  [null],
  [7],
])('%j is no artifact', (value) => expect(artifactOf(value, artifacts)).toBeUndefined());

test('files are found at any depth, once', () => {
  const file = { name: 'orders.csv', size: 10 };
  const value = { rows: [{ file }, { file }], other: { files: [{ name: 'invoice.pdf', size: 20 }] } };
  expect(filesIn(value, artifacts).map(({ id }) => id)).toEqual(['a2', 'a3']);
  expect(filesIn({ rows: [1] }, artifacts)).toEqual([]);
});
