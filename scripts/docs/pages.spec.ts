import { GENERATED } from './docs-page.ts';
import { docsPages } from './pages.ts';
import { staleFiles } from './stale-files.ts';

test('every generated page is up to date (otherwise run node scripts/generate-docs.ts)', async () => {
  expect((await staleFiles(docsPages)).map(({ path }) => path)).toEqual([]);
});

test('every generated page says so in its first line', async () => {
  for (const page of docsPages) expect((await page.render()).split('\n')[0]).toBe(GENERATED);
});

test('a page that differs from its file is stale', async () => {
  const path = 'docs/reference/values.md';
  expect(await staleFiles([{ path, render: () => 'other' }])).toEqual([{ path, text: 'other' }]);
});
