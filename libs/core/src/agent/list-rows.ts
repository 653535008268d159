import { MAX_ROW_TEXT, MAX_OBSERVED_ROWS, type Observation } from '@pilothouse/contract';

/** Roles of the items of a list. */
const rowRoles: ReadonlySet<string> = new Set(['row', 'listitem', 'treeitem', 'article']);

/** Stands between the cells of a row. */
const CELL = ' | ';

/** Texts of the rows that are in view, in order. */
export const rowsOf = ({ elements }: Observation): string[] =>
  elements
    .filter(({ role, name }) => rowRoles.has(role) && name !== '')
    .slice(0, MAX_OBSERVED_ROWS)
    .map(({ name }) => name.slice(0, MAX_ROW_TEXT));

/** A list as it was seen before an action. */
interface SeenRows {
  readonly rows: readonly string[];
  /** Pixels of the whole page. */
  readonly height: number;
}

/**
 * The text of a cell that was in the list before and went away, and that no other row has. A row that merely left the view is none.
 * Null: there is none.
 */
export function goneRow(before: SeenRows, after: SeenRows): string | null {
  const isLeft = new Set(after.rows);
  const texts = [...before.rows, ...after.rows].map((row) => row.split(CELL));
  const shrank = after.rows.length < before.rows.length && after.height <= before.height;
  for (const [index, row] of before.rows.entries()) {
    if (isLeft.has(row)) continue;
    const isFollowed = before.rows.slice(index + 1).some((later) => isLeft.has(later));
    if (!shrank && !isFollowed) continue;
    const cells = row.split(CELL);
    // A row whose state alone changed is still there.
    const [first] = cells;
    if (after.rows.some((other) => other.split(CELL)[0] === first)) continue;
    const own = cells.find(
      (cell) => cell.length > 1 && /\p{L}/u.test(cell) && texts.filter((other) => other.includes(cell)).length === 1,
    );
    if (own !== undefined) return own;
  }
  return null;
}
