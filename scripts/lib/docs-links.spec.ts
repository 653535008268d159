import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', '{apps,libs,charts}/**/README.md'], {
  cwd: root,
  exclude: (name) => name.includes('node_modules'),
});

const readPage = (page: string) => readFileSync(join(root, page), 'utf8');

/** Relative links of a page, as file and anchor. A link without a file is an anchor of the page. */
const linksOf = (page: string) =>
  [...readPage(page).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?[^)]*\)/g)].map(
    ([, link = '', anchor]) => ({ file: link ? join(dirname(page), link) : page, anchor }),
  );

/** Anchors of the headings of a page, as GitHub generates them. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ''] of readPage(page)
    .replace(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

test('there are pages to read', () => expect(pages.length).toBeGreaterThan(40));

test.each(pages)('every relative link of %s leads to a file', (page) => {
  expect(linksOf(page).filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
});

test.each(pages)('every anchor in a link of %s is a heading', (page) => {
  const links = linksOf(page).filter(({ file, anchor }) => anchor !== undefined && file.endsWith('.md'));
  expect(links.filter(({ file, anchor = '' }) => !anchorsOf(file).has(anchor))).toEqual([]);
});
