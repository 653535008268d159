/** Maximum number of words that a message suggests. */
const MAX_SUGGESTIONS = 3;

/** Maximum characters of a word that is compared. The comparison takes quadratic time. */
const MAX_WORD_CHARS = 64;

/** Words of a list that are similar to a word, the nearest first. A word over 64 characters has none. */
export function nearestWords(word: string, words: readonly string[]): string[] {
  if (word.length > MAX_WORD_CHARS) return [];
  const lowerWord = word.toLowerCase();
  return words
    .map((candidate) => {
      const lower = candidate.toLowerCase();
      const length = Math.min(lower.length, lowerWord.length);
      const isPrefix = length > 1 && (lower.startsWith(lowerWord) || lowerWord.startsWith(lower));
      // Words without a common letter are not similar, however short they are.
      const maxEdits = Math.min(Math.max(2, Math.floor(lowerWord.length / 3)), length - 1);
      if (isPrefix) return { candidate, edits: 0, isNear: true };
      const isComparable = Math.abs(lower.length - lowerWord.length) <= maxEdits;
      const edits = isComparable ? editDistance(lowerWord, lower) : Infinity;
      return { candidate, edits, isNear: edits <= maxEdits };
    })
    .filter(({ isNear }) => isNear)
    .sort((a, b) => a.edits - b.edits)
    .map(({ candidate }) => candidate);
}

/** Asks for the nearest words of a list: `Did you mean order, orders or border?`. Null when no word is similar. */
export function didYouMean(word: string, words: readonly string[]): string | null {
  const suggestions = nearestWords(word, [...new Set(words)]).slice(0, MAX_SUGGESTIONS);
  const last = suggestions.pop();
  if (last === undefined) return null;
  return `Did you mean ${suggestions.length === 0 ? '' : `${suggestions.join(', ')} or `}${last}?`;
}

/** Levenshtein distance of two words. */
function editDistance(word: string, target: string): number {
  let row = Array.from({ length: target.length + 1 }, (_, column) => column);
  for (const [index, fromLetter] of [...word].entries()) {
    const next = [index + 1];
    for (const [column, toLetter] of [...target].entries()) {
      const replacement = (row[column] ?? 0) + (fromLetter === toLetter ? 0 : 1);
      next.push(Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, replacement));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
