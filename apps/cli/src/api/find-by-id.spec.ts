import type { ListRunsQuery } from '@pilothouse/contract/api/runs.routes';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { findById, findId, findRun, shortIds, timeOf } from './find-by-id.ts';
import type { PageRequest } from './read-pages.ts';

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

describe('in a list of several pages', () => {
  const neighborId = 'ab12c3c2-2222-4c3d-8e4f-5a6b7c8d9e0f';
  const searchIn = (pages: readonly (readonly string[])[]) => ({
    noun: 'job',
    hint: 'List jobs.',
    read: async (id: string) => ({ id, isRead: true }),
    readPage: async ({ limit, cursor = '0' }: PageRequest) => ({
      items: (pages[Number(cursor)] ?? []).slice(0, limit).map((id) => ({ id, isRead: false })),
      nextCursor: Number(cursor) + 1 < pages.length ? String(Number(cursor) + 1) : null,
    }),
  });

  test('an object of the last page is found by its prefix', async () => {
    expect(await findById('AB12', searchIn([ids, [neighborId]]))).toEqual({ id: neighborId, isRead: false });
    expect(await findId('last', searchIn([ids, [neighborId]]))).toBe(ids[0]);
  });

  test('a full id is read, or returned, without the list', async () => {
    expect(await findById(neighborId, searchIn([]))).toEqual({ id: neighborId, isRead: true });
    expect(await findId(neighborId.toUpperCase(), searchIn([]))).toBe(neighborId);
  });

  test.each([
    ['0197', [ids, [neighborId]], '3 jobs match 0197. Use more characters.'],
    ['ffff', [ids, [neighborId]], 'No job with id ffff….'],
    ['last', [[]], 'No jobs yet.'],
    ['ab1', [[neighborId]], 'Invalid job id "ab1"'],
  ])('%s is rejected: %s', async (name, pages, message) => {
    await expect(findById(name, searchIn(pages))).rejects.toThrow(message);
  });

  test('a match does not count while a longer list may have another one', async () => {
    const manyIds = Array.from({ length: 200 }, () => '00000000-0000-4000-8000-000000000000');
    const pages = [[neighborId], ...Array.from({ length: 60 }, () => manyIds)];
    await expect(findById('ab12', searchIn(pages))).rejects.toThrow('too many jobs to find ab12. Use the full id.');
  });
});
