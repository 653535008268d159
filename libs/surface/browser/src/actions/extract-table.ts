import { PilothouseError, type Column, type Json, type Table, type Target } from '@pilothouse/contract';
import {
  escapePointer,
  parseValue,
  limitDeadline,
  raceDeadline,
  remainingMs,
  delayWithin,
  poll,
} from '@pilothouse/core';
import { EvidenceCollector } from './extract-json.ts';
import { press } from '../targeting/hit-target.ts';
import type { Aim } from '../targeting/input-purpose.ts';
import { waitForTarget, findTarget, type LocatedTarget } from '../targeting/locate-element.ts';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { isDisabled } from '../injected/form-controls.ts';
import { readGrid, type TableGrid } from '../injected/read-data.ts';

/** Pages read when the step does not say. */
const MAX_PAGES = 100;

/** How long an empty table may still get rows, in milliseconds. */
const EMPTY_MS = 1500;

/** How long the next page may take to show, after no document is on its way, before the table counts as at its end. Milliseconds. */
const CHANGE_MS = 5000;

type Row = Record<string, Json>;

/** Reads the rows of a table, with `next` page after page. */
export async function extractTable(hand: ActionContext, target: Target, table: Table, locale?: string) {
  const evidence = new EvidenceCollector();
  const columns = Object.entries(table.columns).map(([name, column]): [string, Column] => [
    name,
    typeof column === 'string' ? { header: column } : column,
  ]);
  const attributes = [...new Set(columns.flatMap(([, { attribute }]) => attribute ?? []))];
  const found = await waitForTarget(hand, target, 'visible');
  let grid = await filled(hand, found, attributes);
  const seen = { before: 0, page: 1, locale, evidence };
  const rows = toRows(grid, columns, seen);
  const maxPages = table.maxPages ?? MAX_PAGES;
  for (let page = 2; table.next && page <= maxPages; page += 1) {
    const next = await nextControl(hand, table.next);
    if (!next) break;
    await press(hand, next, {
      what: 'The click on the next page',
      send: ({ x, y }) => hand.page.mouse.click(x, y),
    });
    const turned = await turnedGrid(hand, target, attributes, grid);
    if (!turned) break;
    grid = turned;
    rows.push(...toRows(grid, columns, { ...seen, before: rows.length, page }));
    if (page === maxPages && table.maxPages === undefined)
      hand.log.warn({ pages: page }, `The table has more than ${page} pages; set maxPages to read on`);
  }
  return { located: found.located, value: rows, evidence: evidence.of(hand.page.url()) };
}

const gridOf = (hand: ActionContext, { one }: LocatedTarget, attributes: string[]): Promise<TableGrid> =>
  raceDeadline(one.evaluate(readGrid, attributes), hand, 'Reading the table');

/** The table once it has rows; an empty one after a while. */
async function filled(hand: ActionContext, found: LocatedTarget, attributes: string[]): Promise<TableGrid> {
  let grid = await gridOf(hand, found, attributes);
  const bound = limitDeadline(hand, Math.min(EMPTY_MS, remainingMs(hand) / 2));
  await poll(async () => {
    if (grid.rows.length > 0) return true;
    grid = await gridOf(hand, found, attributes);
    return undefined;
  }, bound);
  return grid;
}

const looksOff = pageFunction(isDisabled);

/** Finds the control that opens the next page; null when it is gone or disabled. */
async function nextControl(hand: ActionContext, next: Target): Promise<((aim: Aim) => Promise<LocatedTarget>) | null> {
  const there = await findTarget(hand, next, 'visible');
  if (!there) return null;
  const off = await raceDeadline(there.one.evaluate(looksOff, undefined), hand, 'The look at the next page');
  return off ? null : (aim) => waitForTarget(hand, next, 'input', aim);
}

const shown = ({ rows }: TableGrid) => JSON.stringify(rows);

/** The table after the page was turned, once two looks agree; null when it stays what it was. */
async function turnedGrid(
  hand: ActionContext,
  target: Target,
  attributes: string[],
  before: TableGrid,
): Promise<TableGrid | null> {
  await hand.settled();
  const old = shown(before);
  let last = old;
  const bound = limitDeadline(hand, Math.min(CHANGE_MS, remainingMs(hand) / 2));
  const turned = await poll(async () => {
    const found = await findTarget(hand, target, 'visible');
    if (!found) return undefined;
    const grid = await gridOf(hand, found, attributes);
    const now = shown(grid);
    const same = now === last;
    last = now;
    if (now === old || grid.rows.length === 0) return undefined;
    if (same) return grid;
    await delayWithin(30, hand);
    return undefined;
  }, bound);
  return turned ?? null;
}

/** Column headers compare without case, spaces and the arrows of sorting. */
const plain = (header: string) =>
  header
    .replace(/[▲▼△▽↑↓⇅↕⬆⬇]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

interface Seen {
  /** Rows of the pages before. */
  readonly before: number;
  /** From 1. */
  readonly page: number;
  readonly locale: string | undefined;
  readonly evidence: EvidenceCollector;
}

function toRows(grid: TableGrid, columns: [string, Column][], { before, page, locale, evidence }: Seen): Row[] {
  const headers = grid.headers;
  if (!headers)
    throw new PilothouseError('EXTRACTION_FAILED', 'The table has no header row; read it with `list` instead');
  const places = columns.map(([name, column]) => {
    const fitting = headers.flatMap((header, index) => (plain(header) === plain(column.header) ? [index] : []));
    const there = headers.map((header) => JSON.stringify(header)).join(', ');
    if (fitting.length === 1) return { name, column, at: fitting[0] ?? 0 };
    const what = fitting.length === 0 ? `no column "${column.header}"` : `${fitting.length} columns "${column.header}"`;
    throw new PilothouseError('EXTRACTION_FAILED', `The table has ${what}; there are: ${there}`, {
      details: { headers },
    });
  });
  return grid.rows.map((cells, index) => {
    const row = `row ${before + index + 1}${page > 1 ? ` (row ${index + 1} of page ${page})` : ''}`;
    if (cells.length !== headers.length) {
      const seen = cells
        .map(({ text }) => text)
        .join(' | ')
        .slice(0, 200);
      throw new PilothouseError(
        'EXTRACTION_FAILED',
        `In the table ${row} has ${cells.length} cells, the header ${headers.length}: ${seen}`,
      );
    }
    return Object.fromEntries(
      places.map(({ name, column, at }) => {
        const cell = cells[at];
        const text =
          column.attribute === undefined ? (cell?.text ?? null) : (cell?.attributes[column.attribute] ?? null);
        const what = `column "${column.header}" of ${row}`;
        const value = parseValue(text, { ...column, language: locale ?? grid.language }, what);
        if (value === null && !column.optional) {
          throw new PilothouseError(
            'EXTRACTION_FAILED',
            `${what}: ${text ? `${JSON.stringify(text.slice(0, 100))} does not match` : 'there is nothing to read'}, where ${column.type ?? 'string'} is expected`,
            { details: { field: what, text: text?.slice(0, 1000) ?? null, type: column.type ?? 'string' } },
          );
        }
        evidence.add(`/${before + index}/${escapePointer(name)}`, cell?.from ?? '', text);
        return [name, value];
      }),
    );
  });
}
