import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import type { AccessibleNode } from './accessible-node.ts';
import { atspiRoles } from './roles.ts';
import { hasState, stateSetOf, type StateSet } from './states.ts';

/** Cells of a sheet that are read at most. */
const MAX_CELLS = 1_500;

/** Pixels from the corner of a table at which its first and last cell are looked for. */
const INSET_PX = 4;

/** Rows whose texts are read at the same time. */
const ROW_CONCURRENCY = 4;

/** Milliseconds before the deadline after which no further texts are read. */
const TEXT_RESERVE_MS = 100;

/** Characters of a cell's text. */
const MAX_CELL_CHARACTERS = 600;

const CELL_NAME = /^([A-Z]{1,3})([0-9]{1,7})$/;

/** A row and column, both counted from 0. */
interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** Reads cells of sheets. Caches the last read until the screen changes, because each read allocates objects in the application. */
export class SheetCells {
  readonly #bus: AccessibilityBus;
  readonly #screenVersion: () => number;
  #key = '';
  #cells: readonly AccessibleNode[] = [];

  /** @param screenVersion counts the changes of the screen */
  constructor(bus: AccessibilityBus, screenVersion: () => number) {
    this.#bus = bus;
    this.#screenVersion = screenVersion;
  }

  async read(table: AccessibleNode, remainingMs: () => number): Promise<readonly AccessibleNode[]> {
    const key = JSON.stringify([table.bus, table.path, table.name, table.extents, this.#screenVersion()]);
    if (key === this.#key) return this.#cells;
    const cells = await readSheetCells(this.#bus, table, remainingMs);
    if (cells.every(({ value }) => value !== undefined)) {
      this.#key = key;
      this.#cells = cells;
    }
    return cells;
  }

  /** Reads one cell in view by its name. @returns null if it is not in view */
  async readCell(table: AccessibleNode, name: string, remainingMs: () => number): Promise<AccessibleNode | null> {
    const position = positionOf(name);
    const view = position && (await cellsInView(this.#bus, table, remainingMs));
    if (!position || !view || !isBetween(view, position)) return null;
    const cell = await this.#bus.cellAt(table, position.row, position.column, remainingMs());
    if (!cell) return null;
    const extents = await this.#bus.extents(cell, remainingMs());
    const value = await this.#bus.text(cell, remainingMs(), MAX_CELL_CHARACTERS).catch(() => null);
    return cellNode(table, cell, position, extents, value);
  }
}

/** First and last cell in view. */
interface CellRange {
  readonly first: CellPosition;
  readonly last: CellPosition;
}

const isBetween = ({ first, last }: CellRange, { row, column }: CellPosition): boolean =>
  row >= first.row && row <= last.row && column >= first.column && column <= last.column;

/** @returns null unless cells are named like `B2` */
async function cellsInView(
  bus: AccessibilityBus,
  table: AccessibleNode,
  remainingMs: () => number,
): Promise<CellRange | null> {
  const { x, y, width, height } = table.extents;
  const cornerAt = async (left: number, top: number) => {
    const cell = await bus.accessibleAt(table, left, top, remainingMs());
    return cell === null ? null : positionOf(await bus.name(cell, remainingMs()));
  };
  const [first, last] = await Promise.all([
    cornerAt(x + INSET_PX, y + INSET_PX),
    cornerAt(x + width - INSET_PX, y + height - INSET_PX),
  ]);
  return !first || !last || last.row < first.row || last.column < first.column ? null : { first, last };
}

/** @param value null: not read */
function cellNode(
  table: AccessibleNode,
  cell: AccessibleRef | null,
  position: CellPosition,
  extents: Extents,
  value: string | null,
): AccessibleNode {
  const name = nameOf(position);
  return {
    ...(cell ?? { bus: table.bus, path: table.path, isUnreadCell: true }),
    role: atspiRoles.tableCell,
    name,
    states: VISIBLE_CELL_STATES,
    key: `${table.path}/${name}`,
    extents,
    ...(value !== null && { value }),
  };
}

/**
 * Reads the cells in view of a sheet with millions of cells, whose children are never listed. The first row and column in view give the
 * places of all cells.
 * @param remainingMs time that is left
 * @returns an empty list unless cells are named like `B2`
 */
async function readSheetCells(
  bus: AccessibilityBus,
  table: AccessibleNode,
  remainingMs: () => number,
): Promise<AccessibleNode[]> {
  const view = await cellsInView(bus, table, remainingMs);
  if (!view) return [];
  const { first, last } = view;
  const columns = range(first.column, last.column);
  const rows = range(first.row, last.row).slice(0, Math.floor(MAX_CELLS / columns.length));
  const extentsOf = async (row: number, column: number): Promise<Extents | null> => {
    const cell = await bus.cellAt(table, row, column, remainingMs());
    return cell && bus.extents(cell, remainingMs());
  };
  const [columnExtents, rowExtents] = await Promise.all([
    Promise.all(columns.map((column) => extentsOf(first.row, column))),
    Promise.all(rows.map((row) => extentsOf(row, first.column))),
  ]);
  const readCell = async (row: number, column: number): Promise<AccessibleNode | null> => {
    const [horizontal, vertical] = [columnExtents[column - first.column], rowExtents[row - first.row]];
    if (!horizontal || !vertical) return null;
    // The place of a cell is known without its text.
    const hasTime = remainingMs() > TEXT_RESERVE_MS;
    const cell = hasTime ? await bus.cellAt(table, row, column, remainingMs()).catch(() => null) : null;
    const value = cell && (await bus.text(cell, remainingMs(), MAX_CELL_CHARACTERS).catch(() => null));
    const place = { x: horizontal.x, y: vertical.y, width: horizontal.width, height: vertical.height };
    return cellNode(table, cell, { row, column }, place, value);
  };
  const cells: (AccessibleNode | null)[] = [];
  // A few rows at a time, so that few calls are pending when the time is over.
  for (let start = 0; start < rows.length; start += ROW_CONCURRENCY) {
    const part = rows.slice(start, start + ROW_CONCURRENCY);
    const positions = part.flatMap((row) => columns.map((column) => [row, column] as const));
    cells.push(...(await Promise.all(positions.map(([row, column]) => readCell(row, column)))));
  }
  return cells.filter((cell) => cell !== null);
}

const VISIBLE_CELL_STATES: StateSet = stateSetOf('showing').map(
  (word, index) => word | (stateSetOf('enabled')[index] ?? 0),
);

/**
 * Marks the active cell of a sheet. Only the name box, a field whose value is a cell name, tells which it is.
 * @returns the nodes, with the states of that cell
 */
export async function markActiveCell(
  bus: AccessibilityBus,
  nodes: readonly AccessibleNode[],
  remainingMs: () => number,
): Promise<AccessibleNode[]> {
  const names = new Set(
    nodes.flatMap(({ role, value = '' }) => (role !== atspiRoles.tableCell && positionOf(value) ? [value] : [])),
  );
  return Promise.all(
    nodes.map(async (node) => {
      if (node.key === undefined || !names.has(node.name)) return node;
      const states = await bus.states(node, remainingMs()).catch(() => node.states);
      return hasState(states, 'focused') ? { ...node, states } : node;
    }),
  );
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Position of a cell by its name, e.g. `B2`. */
export function positionOf(name: string): CellPosition | null {
  const match = CELL_NAME.exec(name);
  if (!match) return null;
  const [, letters = '', digits = ''] = match;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { row: Number(digits) - 1, column };
}

/** Name of a cell by its position. */
export function nameOf({ row, column }: CellPosition): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return `${letters}${row + 1}`;
}
