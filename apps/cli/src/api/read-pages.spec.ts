import { readPages, type PageRequest } from './read-pages.ts';

const rows = Array.from({ length: 450 }, (_, index) => index);
const requests: PageRequest[] = [];
const readPage = async (request: PageRequest) => {
  requests.push(request);
  const start = Number(request.cursor ?? 0);
  const end = start + request.limit;
  return { items: rows.slice(start, end), nextCursor: end < rows.length ? String(end) : null };
};
beforeEach(() => void requests.splice(0));

test.each([
  [Infinity, 450, false, [200, 200, 200]],
  [450, 450, false, [200, 200, 50]],
  [449, 449, true, [200, 200, 49]],
  [20, 20, true, [20]],
])('with the limit %p it reads %p rows; more exist: %p', async (limit, length, hasMore, pageLimits) => {
  const found = await readPages(readPage, limit);
  expect(found).toEqual({ items: rows.slice(0, length), hasMore });
  expect(requests.map((request) => request.limit)).toEqual(pageLimits);
});
