import type { Column, Table } from '@pilothouse/contract/actions/extraction.schema';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { limitDeadline, raceDeadline, remainingMs, delayWithin, poll } from '@pilothouse/core/time/deadlines';
import { escapePointer } from '@pilothouse/core/workflow/templates';
import { parseValue } from '@pilothouse/core/workflow/values/parse-value';
import { EvidenceCollector } from './extract-json.ts';
import { press } from '../targeting/hit-target.ts';
import { waitForTarget, findTarget } from '../targeting/locate-element.ts';
import type { LocatedTarget, Aim } from '../targeting/located-target.ts';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { isDisabled } from '../injected/form-controls.ts';
import { readGrid, type TableGrid } from '../injected/read-data.ts';

/** Default of `maxPages`. */
const MAX_PAGES = 100;

/** Maximum wait for the rows of an empty table. */
const ROWS_TIMEOUT_MS = 1500;

/** Maximum wait for the rows of the next page after navigation has ended. Afterwards the table counts as complete. */
const NEXT_PAGE_TIMEOUT_MS = 5000;

type Row = Record<string, Json>;

/** Reads the rows of a table; with `next`, page by page. */
export async function extractTable(ctx: ActionContext, target: Target, table: Table, locale?: string) {
  const evidence = new EvidenceCollector();
  const columns = Object.entries(table.columns).map(([name, column]): [string, Column] => [
    name,
    typeof column === 'string' ? { header: column } : column,
  ]);
  const attributes = [...new Set(columns.flatMap(([, { attribute }]) => attribute ?? []))];
  const match = await waitForTarget(ctx, target, 'visible');
  let grid = await waitForRows(ctx, match, attributes);
  const rowContext = { previousRows: 0, page: 1, locale, evidence };
  const rows = toRows(grid, columns, rowContext);
  const maxPages = table.maxPages ?? MAX_PAGES;
  for (let page = 2; table.next && page <= maxPages; page += 1) {
    const next = await nextControl(ctx, table.next);
    if (!next) break;
    await press(ctx, next, {
      subject: 'The click on the next page',
      clicks: 1,
      isSubmitting: true,
      send: ({ x, y }) => ctx.page.mouse.click(x, y),
    });
    const nextGrid = await waitForNextPage(ctx, target, attributes, grid);
    if (!nextGrid) break;
    grid = nextGrid;
    rows.push(...toRows(grid, columns, { ...rowContext, previousRows: rows.length, page }));
    if (page === maxPages && table.maxPages === undefined)
      ctx.log.warn({ pages: page }, `The table has more than ${page} pages; set maxPages to read on`);
  }
  return { located: match.located, value: rows, evidence: evidence.toEvidence(ctx.page.url()) };
}

const gridOf = (ctx: ActionContext, { ref }: LocatedTarget, attributes: string[]): Promise<TableGrid> =>
  raceDeadline(ref.evaluate(readGrid, attributes), ctx, 'Reading the table');

/** Waits for rows and returns the table, which may still be empty. */
async function waitForRows(ctx: ActionContext, match: LocatedTarget, attributes: string[]): Promise<TableGrid> {
  let grid = await gridOf(ctx, match, attributes);
  const deadline = limitDeadline(ctx, Math.min(ROWS_TIMEOUT_MS, remainingMs(ctx) / 2));
  await poll(async () => {
    if (grid.rows.length > 0) return true;
    grid = await gridOf(ctx, match, attributes);
    return undefined;
  }, deadline);
  return grid;
}

const isControlDisabled = pageFunction(isDisabled);

/** Finds the control that opens the next page; null if it is missing or disabled. */
async function nextControl(ctx: ActionContext, next: Target): Promise<((aim: Aim) => Promise<LocatedTarget>) | null> {
  const control = await findTarget(ctx, next, 'visible');
  if (!control) return null;
  const isOff = await raceDeadline(control.ref.evaluate(isControlDisabled, undefined), ctx, 'Reading the next page');
  return isOff ? null : (aim) => waitForTarget(ctx, next, 'input', aim);
}

const rowsKey = ({ rows }: TableGrid) => JSON.stringify(rows);

/** Returns the next page of the table once two reads agree; null if the rows do not change. */
async function waitForNextPage(
  ctx: ActionContext,
  target: Target,
  attributes: string[],
  previousGrid: TableGrid,
): Promise<TableGrid | null> {
  await ctx.waitUntilSettled();
  const oldKey = rowsKey(previousGrid);
  let lastKey = oldKey;
  const deadline = limitDeadline(ctx, Math.min(NEXT_PAGE_TIMEOUT_MS, remainingMs(ctx) / 2));
  const nextGrid = await poll(async () => {
    const match = await findTarget(ctx, target, 'visible');
    if (!match) return undefined;
    const grid = await gridOf(ctx, match, attributes);
    const newKey = rowsKey(grid);
    const isStable = newKey === lastKey;
    lastKey = newKey;
    if (newKey === oldKey || grid.rows.length === 0) return undefined;
    if (isStable) return grid;
    await delayWithin(30, ctx);
    return undefined;
  }, deadline);
  return nextGrid ?? null;
}

/** Normalizes a column header: ignores case, spaces and sort arrows. */
const normalizeHeader = (header: string) =>
  header
    .replace(/[▲▼△▽↑↓⇅↕⬆⬇]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

interface RowContext {
  /** Rows of the previous pages. */
  readonly previousRows: number;
  /** From 1. */
  readonly page: number;
  readonly locale: string | undefined;
  readonly evidence: EvidenceCollector;
}

function toRows(
  grid: TableGrid,
  columns: [string, Column][],
  { previousRows, page, locale, evidence }: RowContext,
): Row[] {
  const headers = grid.headers;
  if (!headers)
    throw new PilothouseError('EXTRACTION_FAILED', 'The table has no header row; read it with `list` instead');
  const columnIndexes = columns.map(([name, column]) => {
    const matches = headers.flatMap((header, index) =>
      normalizeHeader(header) === normalizeHeader(column.header) ? [index] : [],
    );
    const headerList = headers.map((header) => JSON.stringify(header)).join(', ');
    if (matches.length === 1) return { name, column, at: matches[0] ?? 0 };
    const label =
      matches.length === 0 ? `no column "${column.header}"` : `${matches.length} columns "${column.header}"`;
    throw new PilothouseError('EXTRACTION_FAILED', `The table has ${label}; there are: ${headerList}`, {
      details: { headers },
    });
  });
  return grid.rows.map((cells, index) => {
    const row = `row ${previousRows + index + 1}${page > 1 ? ` (row ${index + 1} of page ${page})` : ''}`;
    if (cells.length !== headers.length) {
      const rowContext = cells
        .map(({ text }) => text)
        .join(' | ')
        .slice(0, 200);
      throw new PilothouseError(
        'EXTRACTION_FAILED',
        `The table has ${cells.length} cells in ${row}, but ${headers.length} in the header: ${rowContext}`,
      );
    }
    return Object.fromEntries(
      columnIndexes.map(({ name, column, at: cellIndex }) => {
        const cell = cells[cellIndex];
        const text =
          column.attribute === undefined ? (cell?.text ?? null) : (cell?.attributes[column.attribute] ?? null);
        const label = `column "${column.header}" of ${row}`;
        const value = parseValue(text, { ...column, language: locale ?? grid.language }, label);
        if (value === null && !column.optional) {
          throw new PilothouseError(
            'EXTRACTION_FAILED',
            `${label}: ${text ? `${JSON.stringify(text.slice(0, 100))} does not match` : 'there is nothing to read'}, where ${column.type ?? 'string'} is expected`,
            { details: { field: label, text: text?.slice(0, 1000) ?? null, type: column.type ?? 'string' } },
          );
        }
        evidence.add(`/${previousRows + index}/${escapePointer(name)}`, cell?.path ?? '', text);
        return [name, value];
      }),
    );
  });
}
