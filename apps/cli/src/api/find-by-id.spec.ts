import type { ListRunsQuery, RunView } from '@pilothouse/contract';
import { findRun, shortIds, timeOf } from './find-by-id.ts';

const ids = [
  '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e10',
  '0197f3c2-2222-7c3d-8e4f-5a6b7c8d9e0f',
];
const run = (id: string) => ({ id, workflow: null }) as RunView;
const queries: Partial<ListRunsQuery>[] = [];
const api = {
  run: async (id: string) => run(id),
  runs: async (query: Partial<ListRunsQuery>) => {
    queries.push(query);
    return { items: ids.map(run).slice(0, query.limit), nextCursor: null };
  },
};
beforeEach(() => void queries.splice(0));

test('short ids have the smallest length at which they differ', () => {
  expect(shortIds([ids[0]!, ids[2]!])(ids[0]!)).toBe('0197f3c2-1a2b');
  expect(shortIds(ids)(ids[1]!)).toBe(ids[1]!.slice(0, 35));
  expect(shortIds([])('0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f')).toBe('0197f3c2-1a2b');
});

test('a prefix limits the list to runs created at its time', async () => {
  expect((await findRun(api, '0197F3C2-2')).id).toBe(ids[2]);
  const { createdAfter, createdBefore } = timeOf('0197f3c2-2');
  expect(queries[0]).toMatchObject({ createdAfter, createdBefore });
  const createdAt = Number.parseInt('0197f3c22222', 16);
  expect(Date.parse(createdAfter)).toBeLessThan(createdAt);
  expect(Date.parse(createdBefore)).toBeGreaterThan(createdAt);
  expect(Date.parse(createdBefore) - Date.parse(createdAfter)).toBeLessThan(200_000);
});

test('a full id is read directly, last is the newest run', async () => {
  expect((await findRun(api, ids[1]!)).id).toBe(ids[1]);
  expect(queries).toEqual([]);
  expect((await findRun(api, 'last')).id).toBe(ids[0]);
});

test.each([
  ['0197f3c2-1a', '2 runs match 0197f3c2-1a'],
  ['ffff', 'No run with id ffff'],
  ['01', 'Invalid run id "01"'],
  ['harbour', 'Invalid run id "harbour"'],
])('%s is rejected: %s', async (name, message) => {
  await expect(findRun(api, name)).rejects.toThrow(message);
});
