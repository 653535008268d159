/** Rules over doc comments, part of `scripts/lib/source-rules.ts`. */
import type { SourceFile } from './source-rules.ts';

/** A doc comment of one line, and the name that it describes. */
const ONE_LINE_COMMENT =
  /\/\*\* ([^*\n]{3,90}?)\.? \*\/\n\s*(?:(?:export|declare|abstract|readonly|private|static|async|public|protected|const|function|interface|type|class|let) )*([A-Za-z_]\w*)/g;

/** Words without a meaning of their own in a comment. */
const FILLERS = new Set(
  'a all an and are as at be by each for from in is it its of on one or returns that the this to with'.split(' '),
);

const stemOf = (word: string): string =>
  word
    .toLowerCase()
    .replace(/s$/, '')
    .replace(/(?:ing|ed|e)$/, '');

const stemsOfName = (name: string): Set<string> =>
  new Set((name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map(stemOf));

/** True if a comment says nothing that the name does not say. */
export function repeatsName(comment: string, name: string): boolean {
  // A code span or a tag adds information.
  if (/[`@]/.test(comment)) return false;
  const words = (comment.match(/[A-Za-z]+/g) ?? []).filter((word) => !FILLERS.has(word.toLowerCase()));
  const stems = stemsOfName(name);
  return words.length > 0 && words.every((word) => stems.has(stemOf(word)));
}

/** Checks doc comments: they add to the name, and begin with a noun or a verb. */
export function checkComments(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const locationOf = (index: number) => `${path}:${text.slice(0, index).split('\n').length}`;
    const repeated = [...text.matchAll(ONE_LINE_COMMENT)].flatMap(({ 1: comment = '', 2: name = '', index }) =>
      repeatsName(comment, name)
        ? [`${locationOf(index)}: the comment repeats the name ${name}. Delete it, or add what a caller needs.`]
        : [],
    );
    const questions = [...text.matchAll(/^\s*(?:\/\*\*|\*|\/\/) (What|Whether|Who)\b/gm)].map(
      ({ 1: word, index }) => `${locationOf(index)}: begin the comment with a noun or a verb, not with "${word}".`,
    );
    return [...repeated, ...questions];
  });
}
