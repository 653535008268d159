import { readPages, type PageQuery } from './read-pages.server.ts';

test('all pages of a list are read, in order', async () => {
  const pages = [
    { items: ['a', 'b'], nextCursor: 'second' },
    { items: ['c'], nextCursor: null },
  ];
  const queries: PageQuery[] = [];
  const items = await readPages(async (query) => {
    queries.push(query);
    return pages[queries.length - 1]!;
  });
  expect(items).toEqual(['a', 'b', 'c']);
  expect(queries).toEqual([{ limit: 200 }, { limit: 200, cursor: 'second' }]);
});
