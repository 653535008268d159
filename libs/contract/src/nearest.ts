/** Words of a list that may be meant by a word that is not in it, the nearest first; empty where none is near. */
export function nearestWords(word: string, words: readonly string[]): string[] {
  const said = word.toLowerCase();
  const far = Math.max(2, Math.floor(said.length / 3));
  return words
    .map((known) => ({ known, low: known.toLowerCase() }))
    .map(({ known, low }) => ({
      known,
      edits: low.startsWith(said) || said.startsWith(low) ? 0 : editsBetween(said, low),
    }))
    .filter(({ edits }) => edits <= far)
    .sort((one, other) => one.edits - other.edits)
    .map(({ known }) => known);
}

/** Levenshtein distance of two words. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [to, wanted] of [...other].entries())
      next.push(Math.min((next[to] ?? 0) + 1, (row[to + 1] ?? 0) + 1, (row[to] ?? 0) + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
