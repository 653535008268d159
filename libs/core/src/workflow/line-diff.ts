export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Unchanged lines around a change. */
const CONTEXT_LINES = 3;

/** Maximum cells of the table that compares two texts: 16 MB. */
const MAX_CELLS = 4_000_000;

/** Line diff of two texts. Between the common start and end of very long texts, all lines count as replaced. */
export function diffLines(oldText: string, newText: string): DiffLine[] {
  const [a, b] = [oldText.trimEnd().split('\n'), newText.trimEnd().split('\n')];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let endLength = 0;
  while (endLength < shorter - start && a.at(-1 - endLength) === b.at(-1 - endLength)) endLength += 1;
  const removed = a.slice(start, a.length - endLength);
  const added = b.slice(start, b.length - endLength);
  return [
    ...withKind('same', a.slice(0, start)),
    ...(removed.length * added.length > MAX_CELLS
      ? [...withKind('removed', removed), ...withKind('added', added)]
      : compareLines(removed, added)),
    ...withKind('same', a.slice(a.length - endLength)),
  ];
}

const withKind = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ kind, text }));

/** Line diff by the longest common subsequence. */
function compareLines(a: readonly string[], b: readonly string[]): DiffLine[] {
  // Lengths of the longest common subsequences of the remaining lines.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const commonLength = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i];
    for (let j = b.length - 1; row && j >= 0; j--)
      row[j] =
        a[i] === b[j] ? commonLength(i + 1, j + 1) + 1 : Math.max(commonLength(i + 1, j), commonLength(i, j + 1));
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || commonLength(i + 1, j) >= commonLength(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: b[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** Removes lines far from a change. Each gap is null. */
export function withContext<Line extends DiffLine>(lines: readonly Line[]): (Line | null)[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => (near[index] ? [line] : near[index - 1] || index === 0 ? [null] : []));
}
