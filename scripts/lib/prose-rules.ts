/**
 * Checks the length of sentences and pages of the documentation. Usage: `node scripts/lib/prose-rules.ts [--list]`.
 * Code, tables, headings and generated pages are not counted. A guide starts with an example.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Mean number of words of a sentence over all pages. */
const MAX_MEAN_WORDS = 18;

/** Mean number of words of a sentence on one page. */
const MAX_PAGE_MEAN_WORDS = 20;

/** Words of a page, with its tables and without code. */
const MAX_PAGE_WORDS = 1_000;

/** Words of a page with one subject that two pages would only divide. */
const MAX_SUBJECT_WORDS = 1_500;
const SUBJECT_PAGES: ReadonlySet<string> = new Set([
  'docs/concepts/agents.md',
  'docs/guides/desktop.md',
  'docs/guides/limits.md',
  'docs/guides/traces.md',
  'docs/guides/tune-a-model.md',
  'docs/operations/runbooks.md',
]);
const maxWordsOf = (file: string) => (SUBJECT_PAGES.has(file) ? MAX_SUBJECT_WORDS : MAX_PAGE_WORDS);

/** Lines of the first screen of a guide, which has a working example. */
const FIRST_SCREEN_LINES = 20;

export interface ProseStats {
  readonly sentences: number;
  /** Words in these sentences. */
  readonly sentenceWords: number;
  /** Words of the page outside of code. */
  readonly words: number;
}

const wordCountOf = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** Counts the sentences and words of a Markdown page. */
export function proseStats(markdown: string): ProseStats {
  let isCode = false;
  const paragraphs: string[] = [''];
  let words = 0;
  for (const line of markdown.split('\n')) {
    if (/^\s*```/.test(line)) {
      isCode = !isCode;
      paragraphs.push('');
      continue;
    }
    if (isCode || /^\s*<!--/.test(line)) continue;
    const text = line.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`[^`]*`/g, 'code');
    words += wordCountOf(text.replaceAll('|', ' '));
    const isBlock = /^\s*(\||#|$)/.test(line);
    if (isBlock || /^\s*([-*]|\d+\.)\s/.test(line)) paragraphs.push('');
    if (!isBlock) paragraphs[paragraphs.length - 1] += ` ${text.replace(/^\s*([-*>]|\d+\.)\s/, '')}`;
  }
  const sentences = paragraphs
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?])\s+/))
    .map(wordCountOf)
    .filter((count) => count > 0);
  return { sentences: sentences.length, sentenceWords: sentences.reduce((sum, count) => sum + count, 0), words };
}

/** Pages that people wrote: path → text. */
function handWrittenPages(root: string): Map<string, string> {
  const files = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((file) => file !== 'CHANGELOG.md');
  const pages = files.toSorted().map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  return new Map(pages.filter(([, text]) => !/generated/i.test(text.slice(0, 300))));
}

const hasExampleOnFirstScreen = (text: string): boolean =>
  /^\s*```/m.test(text.split('\n', FIRST_SCREEN_LINES).join('\n'));

/** @returns a message for each rule that a page breaks */
export function proseProblems(pages: ReadonlyMap<string, string>): string[] {
  const stats = [...pages].map(([file, text]) => ({ file, ...proseStats(text) }));
  const problems = stats.flatMap(({ file, words, sentences, sentenceWords }) => [
    ...(words > maxWordsOf(file)
      ? [`${file} has ${words} words. Split it: a page has at most ${maxWordsOf(file)}.`]
      : []),
    ...(sentenceWords > sentences * MAX_PAGE_MEAN_WORDS
      ? [`${file} has ${(sentenceWords / sentences).toFixed(1)} words per sentence (at most ${MAX_PAGE_MEAN_WORDS}).`]
      : []),
  ]);
  for (const [file, text] of pages)
    if (file.startsWith('docs/guides/') && !hasExampleOnFirstScreen(text))
      problems.push(`${file} has no example in its first ${FIRST_SCREEN_LINES} lines.`);
  const total = (field: 'sentences' | 'sentenceWords') => stats.reduce((sum, page) => sum + page[field], 0);
  const mean = total('sentenceWords') / Math.max(1, total('sentences'));
  return mean > MAX_MEAN_WORDS ? [...problems, `All pages: ${mean.toFixed(1)} words per sentence.`] : problems;
}

if (import.meta.main) {
  const pages = handWrittenPages(join(import.meta.dirname, '../..'));
  if (process.argv.includes('--list'))
    for (const [file, text] of pages) {
      const { words, sentences, sentenceWords } = proseStats(text);
      console.log(
        `${String(words).padStart(5)} words  ${(sentenceWords / Math.max(1, sentences)).toFixed(1)} a sentence  ${file}`,
      );
    }
  const problems = proseProblems(pages);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
