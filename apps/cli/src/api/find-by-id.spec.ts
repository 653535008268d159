import type { ListRunsQuery, RunView } from '@pilothouse/contract';
import { findRun, shortIds, timeOf } from './find-by-id.ts';

const ids = [
  '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e10',
  '0197f3c2-2222-7c3d-8e4f-5a6b7c8d9e0f',
];
const run = (id: string) => ({ id, workflow: null }) as RunView;
const asked: Partial<ListRunsQuery>[] = [];
const api = {
  run: async (id: string) => run(id),
  runs: async (query: Partial<ListRunsQuery>) => {
    asked.push(query);
    return { items: ids.map(run).slice(0, query.limit), nextCursor: null };
  },
};
beforeEach(() => void asked.splice(0));

test('short ids are as long as they have to be to stay apart', () => {
  expect(shortIds([ids[0]!, ids[2]!])(ids[0]!)).toBe('0197f3c2-1a2b');
  expect(shortIds(ids)(ids[1]!)).toBe(ids[1]!.slice(0, 35));
  expect(shortIds([])('0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f')).toBe('0197f3c2-1a2b');
});

test('the beginning of an id says when the run was made, and only that time is looked at', async () => {
  expect((await findRun(api, '0197F3C2-2')).id).toBe(ids[2]);
  const { createdAfter, createdBefore } = timeOf('0197f3c2-2');
  expect(asked[0]).toMatchObject({ createdAfter, createdBefore });
  const made = Number.parseInt('0197f3c22222', 16);
  expect(Date.parse(createdAfter)).toBeLessThan(made);
  expect(Date.parse(createdBefore)).toBeGreaterThan(made);
  expect(Date.parse(createdBefore) - Date.parse(createdAfter)).toBeLessThan(200_000);
});

test('a whole id is asked for directly, last is the newest', async () => {
  expect((await findRun(api, ids[1]!)).id).toBe(ids[1]);
  expect(asked).toEqual([]);
  expect((await findRun(api, 'last')).id).toBe(ids[0]);
});

test.each([
  ['0197f3c2-1a', '2 runs begin with 0197f3c2-1a'],
  ['ffff', 'No run begins with ffff'],
  ['01', 'is no run'],
  ['harbour', 'is no run'],
])('%s is refused: %s', async (given, message) => {
  await expect(findRun(api, given)).rejects.toThrow(message);
});
