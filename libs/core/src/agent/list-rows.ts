import { MAX_ROW_TEXT, MAX_OBSERVED_ROWS } from '@pilothouse/contract/events/agent.events';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';

/** Roles of list items. */
const ROW_ROLES: ReadonlySet<string> = new Set(['row', 'listitem', 'treeitem', 'article']);

/** Separator of a row's cells. */
const CELL_SEPARATOR = ' | ';

/** Texts of the rows that are in view, in order. */
export const rowsOf = ({ elements }: Observation): string[] =>
  elements
    .filter(({ role, name }) => ROW_ROLES.has(role) && name !== '')
    .slice(0, MAX_OBSERVED_ROWS)
    .map(({ name }) => name.slice(0, MAX_ROW_TEXT));

/** A list as observed before an action. */
interface ObservedRows {
  readonly rows: readonly string[];
  /** Pixels of the whole page. */
  readonly height: number;
}

/**
 * The text of a cell of a removed row that no other row has; null: no row was removed. A row that was only scrolled out of view
 * does not count.
 */
export function removedRowText(previous: ObservedRows, current: ObservedRows): string | null {
  const remainingRows = new Set(current.rows);
  const cellsByRow = [...previous.rows, ...current.rows].map((row) => row.split(CELL_SEPARATOR));
  const isShorter = current.rows.length < previous.rows.length && current.height <= previous.height;
  for (const [index, row] of previous.rows.entries()) {
    if (remainingRows.has(row)) continue;
    const hasRemainingSuccessor = previous.rows.slice(index + 1).some((successor) => remainingRows.has(successor));
    if (!isShorter && !hasRemainingSuccessor) continue;
    const cells = row.split(CELL_SEPARATOR);
    // A row is the same if only its state changed.
    const [firstCell] = cells;
    if (current.rows.some((remainingRow) => remainingRow.split(CELL_SEPARATOR)[0] === firstCell)) continue;
    const uniqueCell = cells.find(
      (cell) => cell.length > 1 && /\p{L}/u.test(cell) && cellsByRow.filter((row) => row.includes(cell)).length === 1,
    );
    if (uniqueCell !== undefined) return uniqueCell;
  }
  return null;
}
