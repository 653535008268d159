/**
 * Counts the files that contain each old word: `node scripts/lib/old-words.ts`. With `--write`, words without a hit become flag words of
 * cspell (cspell.config.mjs, data/old-words.json), so that they do not come back.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './source-rules.ts';

const root = join(import.meta.dirname, '../..');
const WORDS_FILE = join(import.meta.dirname, 'data/old-words.json');

/** Files that cspell does not check either. */
const IGNORED =
  /^(package-lock[.]json|cspell[.]config[.]mjs|scripts\/lib\/(data\/|guards[.])|prisma\/migrations\/|bench\/results\/)|\/generated\/|[.]gen[.]ts$/;
const TEXT = /[.](ts|tsx|mjs|js|json|md|ya?ml|sh|css|html|prisma|tpl|txt|py)$|\/[^.]+$/;

/** Old words and their replacements. */
export interface OldWords {
  /** Words that no file contains: cspell rejects them. */
  readonly flagged: Readonly<Record<string, string>>;
  /** Words that files still contain. */
  readonly remaining: Readonly<Record<string, string>>;
}

/** The words of a text in lower case: whole identifiers, and their parts. */
export function wordsOfText(text: string): Set<string> {
  const identifiers = text.match(/[A-Za-z][A-Za-z0-9_]*/g) ?? [];
  const words = identifiers.flatMap((name) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []);
  return new Set([...identifiers, ...words].map((word) => word.toLowerCase()));
}

/** The number of texts that contain each word. */
export function countFiles(words: readonly string[], texts: Iterable<string>): Map<string, number> {
  const counts = new Map(words.map((word) => [word, 0]));
  for (const text of texts) {
    const textWords = wordsOfText(text);
    for (const word of words) if (textWords.has(word.toLowerCase())) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Moves words without a hit to the flagged ones. */
export function flagUnused({ flagged, remaining }: OldWords, counts: ReadonlyMap<string, number>): OldWords {
  const entries = Object.entries({ ...flagged, ...remaining }).sort(([a], [b]) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  );
  const isUnused = ([word]: [string, string]) => word in flagged || counts.get(word) === 0;
  return {
    flagged: Object.fromEntries(entries.filter(isUnused)),
    remaining: Object.fromEntries(entries.filter((entry) => !isUnused(entry))),
  };
}

if (import.meta.main) {
  const words = JSON.parse(readFileSync(WORDS_FILE, 'utf8')) as OldWords;
  const paths = listFiles().filter((path) => TEXT.test(path) && !IGNORED.test(path));
  const counts = countFiles(
    Object.keys({ ...words.flagged, ...words.remaining }),
    paths.map((path) => readFileSync(join(root, path), 'utf8')),
  );
  for (const [word, count] of [...counts].sort(([, a], [, b]) => b - a))
    console.log(`${String(count).padStart(5)}  ${word}`);
  if (process.argv.includes('--write'))
    writeFileSync(WORDS_FILE, `${JSON.stringify(flagUnused(words, counts), null, 2)}\n`);
}
