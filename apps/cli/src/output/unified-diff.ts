import { diffLines, withContext, type DiffLine } from '@pilothouse/core/workflow/line-diff';
import type { Style } from './text-style.ts';

/** A text of a comparison, and its name in the head of the diff. */
export interface NamedText {
  readonly label: string;
  readonly text: string;
}

/** A diff line with the number of each text's lines in front of it. */
type NumberedLine = DiffLine & { readonly oldLines: number; readonly newLines: number };

/** Unified diff of two texts, as `diff -u` prints it. Returns no lines when they are equal. */
export function unifiedDiff(previous: NamedText, next: NamedText, style: Style): string[] {
  const hunks = hunksOf(numbered(diffLines(previous.text, next.text)));
  if (hunks.length === 0) return [];
  return [
    style.bold(`--- ${previous.label}`),
    style.bold(`+++ ${next.label}`),
    ...hunks.flatMap((lines) => [style.cyan(headOf(lines)), ...lines.map((line) => lineText(line, style))]),
  ];
}

function numbered(lines: readonly DiffLine[]): NumberedLine[] {
  let [oldLines, newLines] = [0, 0];
  return lines.map((line) => {
    const entry = { ...line, oldLines, newLines };
    if (line.kind !== 'added') oldLines += 1;
    if (line.kind !== 'removed') newLines += 1;
    return entry;
  });
}

/** Groups of changed lines with their context. */
function hunksOf(lines: readonly NumberedLine[]): NumberedLine[][] {
  const hunks: NumberedLine[][] = [[]];
  for (const line of withContext(lines)) {
    if (line) hunks.at(-1)?.push(line);
    else hunks.push([]);
  }
  return hunks.filter((hunk) => hunk.length > 0);
}

/** The head of a hunk: first line and number of lines of each text. */
function headOf(hunk: readonly NumberedLine[]): string {
  const [first] = hunk;
  const range = (start: number, otherKind: DiffLine['kind']) => {
    const length = hunk.filter(({ kind }) => kind !== otherKind).length;
    return `${length === 0 ? start : start + 1},${length}`;
  };
  return `@@ -${range(first?.oldLines ?? 0, 'added')} +${range(first?.newLines ?? 0, 'removed')} @@`;
}

function lineText({ kind, text }: DiffLine, style: Style): string {
  switch (kind) {
    case 'same':
      return ` ${text}`;
    case 'added':
      return style.green(`+${text}`);
    case 'removed':
      return style.red(`-${text}`);
  }
}
