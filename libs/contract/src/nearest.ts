/** Words of a list that are similar to a word, the nearest first. */
export function nearestWords(word: string, words: readonly string[]): string[] {
  const lowerWord = word.toLowerCase();
  const maxEdits = Math.max(2, Math.floor(lowerWord.length / 3));
  return words
    .map((candidate) => {
      const lower = candidate.toLowerCase();
      const isPrefix = lower.startsWith(lowerWord) || lowerWord.startsWith(lower);
      return { candidate, edits: isPrefix ? 0 : editDistance(lowerWord, lower) };
    })
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits)
    .map(({ candidate }) => candidate);
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
