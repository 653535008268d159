import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['README.md', 'docs/**/*.md', '{apps,libs,bench,charts}/**/README.md'], {
  cwd: root,
  exclude: (name) => name.includes('node_modules'),
});

/** Relative links of a page, without anchors. */
const linksOf = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)[^)]*\)/g)].map(
    ([, link = '']) => link,
  );

test('there are pages to read', () => expect(pages.length).toBeGreaterThan(40));

test.each(pages)('every relative link of %s leads to a file', (page) => {
  expect(linksOf(page).filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
});
