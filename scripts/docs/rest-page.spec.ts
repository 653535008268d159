import { routeList } from '@pilothouse/contract/api/route-table';
import { GENERATED } from './docs-page.ts';
import { restPage } from './rest-page.ts';

let text: string;
beforeAll(async () => {
  text = await restPage.render();
});

test('the page has every operation, with its role', () => {
  expect(text.split('\n')[0]).toBe(GENERATED);
  const operations = [...text.matchAll(/ · role `(\w+)` · operation `(\w+)`/g)].map(([, role, name]) => ({
    role,
    name,
  }));
  const expected = routeList.map(({ name, role }) => ({ role, name }));
  const byName = (a: { name?: string }, b: { name?: string }) => (a.name ?? '').localeCompare(b.name ?? '');
  expect(operations.toSorted(byName)).toEqual(expected.toSorted(byName));
});

test('the page describes every object that it links to', () => {
  const objects = new Set([...text.matchAll(/^### (\w+) object$/gm)].map(([, name = '']) => name.toLowerCase()));
  const links = [...text.matchAll(/\]\(#(\w+)-object\)/g)].map(([, name = '']) => name);
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((name) => !objects.has(name))).toEqual([]);
});
