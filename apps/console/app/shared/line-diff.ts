export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Unchanged lines around a change. */
const CONTEXT_LINES = 3;

/** Line diff of two texts. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  // Lengths of the longest common subsequences of the remaining lines.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i];
    for (let j = b.length - 1; row && j >= 0; j--)
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
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
export function withContext(lines: readonly DiffLine[]): (DiffLine | null)[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => (near[index] ? [line] : near[index - 1] || index === 0 ? [null] : []));
}
