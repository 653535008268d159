import type { Style } from './text-style.ts';
import { pad, short, width } from './sanitize-text.ts';

/** A column: its head, the alignment of its cells, and whether it can shrink on a narrow terminal. */
export interface Column {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /** Truncated if the table is wider than the terminal. Only for cells without styles. */
  readonly canShrink?: boolean;
}

const GAP = '  ';
const LEAST = 8;

/**
 * Lines of a table: header, then rows. Cells are sanitized (`clean`) and may have styles.
 * @param columns width of the terminal; Infinity: no truncation
 */
export function table(
  heads: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style,
  columns = Infinity,
): string[] {
  const widths = heads.map(({ head }, column) => Math.max(width(head), ...rows.map((row) => width(row[column] ?? ''))));
  fit(heads, widths, columns);
  const line = (cells: readonly string[]) =>
    heads
      .map(({ align, canShrink }, column) => {
        const cell = cells[column] ?? '';
        return pad(canShrink ? short(cell, widths[column] ?? 0) : cell, widths[column] ?? 0, align);
      })
      .join(GAP)
      .trimEnd();
  const head = heads.map(({ head: text, align }, column) =>
    pad(short(text, widths[column] ?? 0), widths[column] ?? 0, align),
  );
  return [style.dim(head.join(GAP).trimEnd()), ...rows.map(line)];
}

/** Shrinks the widest shrinkable column until the table fits or no column can shrink further. */
function fit(heads: readonly Column[], widths: number[], columns: number): void {
  const total = () => widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + GAP.length * (heads.length - 1);
  while (total() > columns) {
    const shrinkable = heads.flatMap(({ canShrink }, column) =>
      canShrink && (widths[column] ?? 0) > LEAST ? [column] : [],
    );
    const widest = shrinkable.toSorted((first, second) => (widths[second] ?? 0) - (widths[first] ?? 0))[0];
    if (widest === undefined) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** Lines of names and aligned values. */
export function pairs(entries: readonly (readonly [string, string])[], style: Style): string[] {
  const names = Math.max(0, ...entries.map(([name]) => width(name)));
  return entries.map(([name, value]) => `${style.dim(pad(name, names))}  ${value}`.trimEnd());
}
