import { proseProblems, proseStats } from './prose-rules.ts';

const page = `# Title of the page

One two three. Four five
six seven!

- A list item of six words.
- Another [link with text](page.md) and \`a b c\`.

| cell | another cell |
| --- | --- |

\`\`\`sh
not counted at all
\`\`\`
`;

test('code, tables and headings are no sentences; a list item is one', () => {
  expect(proseStats(page)).toEqual({ sentences: 4, sentenceWords: 3 + 4 + 6 + 6, words: 26 });
});

test('a guide without an example on its first screen is a problem', () => {
  const example = '\n```sh\nls\n```\n';
  const pages = new Map([
    ['docs/guides/good.md', `# Good\n${example}`],
    ['docs/guides/late.md', `# Late\n${'\n'.repeat(20)}${example}`],
    ['docs/concepts/any.md', '# Concept\n'],
  ]);
  expect(proseProblems(pages)).toEqual(['docs/guides/late.md has no example in its first 20 lines.']);
});

const sentence = (words: number) => `${'word '.repeat(words).trim()}. `;

test('a long page, a page of long sentences and a long mean are problems', () => {
  const pages = new Map([
    ['short.md', sentence(10)],
    ['long.md', sentence(10).repeat(101)],
    ['riddle.md', sentence(30)],
  ]);
  expect(proseProblems(pages)).toEqual([
    'long.md has 1010 words. Split it: a page has at most 1000.',
    'riddle.md has 30.0 words per sentence (at most 20).',
  ]);
  expect(proseProblems(new Map([['a.md', sentence(19).repeat(3)]]))).toEqual(['All pages: 19.0 words per sentence.']);
});

test('a page with one subject may have 1,500 words', () => {
  const file = 'docs/operations/runbooks.md';
  expect(proseProblems(new Map([[file, sentence(10).repeat(150)]]))).toEqual([]);
  expect(proseProblems(new Map([[file, sentence(10).repeat(151)]]))).toEqual([
    `${file} has 1510 words. Split it: a page has at most 1500.`,
  ]);
});
