import { type PageHelpers, pageFunction } from './evaluate-functions.ts';
import { cssPath } from './css-path.ts';

/** Value to read from an element. */
export interface FieldQuery {
  readonly css: string | null;
  readonly attribute: string | null;
}

/** Text and its source, text null if it is missing; or the reason of a failure. */
export type FieldText = { readonly text: string | null; readonly path: string } | { readonly problem: string };

/** Number of elements whose path is reported. */
const MAX_PATHS = 100;

const readFieldTexts = (
  elements: Element[],
  { queries, maxPaths }: { queries: FieldQuery[]; maxPaths: number },
  tools: PageHelpers & { pathOf: typeof cssPath },
) => {
  const findInside = (element: Element, css: string): Element[] => {
    const direct = [...element.querySelectorAll(css)];
    if (direct.length > 0) return direct;
    // Includes open shadow roots, as locators do.
    const hosts = [element, ...element.querySelectorAll('*')].filter((host) => host.shadowRoot instanceof ShadowRoot);
    return hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll(css) ?? [])]);
  };
  const readField = (element: Element, { css, attribute }: FieldQuery, index: number): FieldText => {
    let source: Element | undefined = element;
    if (css !== null) {
      let candidates: Element[];
      try {
        candidates = findInside(element, css);
      } catch {
        return { problem: `${css} is no CSS selector` };
      }
      const visibleCandidates =
        candidates.length > 1 ? candidates.filter((candidate) => tools.visible(candidate)) : candidates;
      if (visibleCandidates.length > 1) {
        const descriptions = visibleCandidates.slice(0, 5).map((candidate) => tools.describe(candidate));
        return {
          problem: `${css} matches ${visibleCandidates.length} elements: ${descriptions.join(', ')}; make it more exact`,
        };
      }
      source = visibleCandidates[0] ?? candidates[0];
    }
    const path =
      index < maxPaths
        ? tools.pathOf(source ?? element, tools.plain) + (attribute === null ? '' : ` @${attribute}`)
        : '';
    if (!source) return { text: null, path };
    return { text: attribute === null ? tools.textOf(source) : tools.attribute(source, attribute), path };
  };
  return {
    language: elements[0]?.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang,
    rows: elements.map((element, index) => queries.map((field) => readField(element, field, index))),
  };
};

/** Reads texts of each element, and the language of the page. */
export const readFields = pageFunction(readFieldTexts, { pathOf: cssPath });

/** Returns the argument of `readFields`. */
export const fieldQuery = (queries: FieldQuery[]) => ({ queries, maxPaths: MAX_PATHS });

/** Cell of a body row: its text and the requested attributes. */
export interface TableCell {
  readonly text: string;
  /** CSS path; empty after the first hundred rows. */
  readonly path: string;
  readonly attributes: Record<string, string | null>;
}

/** Table as rendered. A cell that spans columns or rows is repeated in each. */
export interface TableGrid {
  readonly language: string;
  /** Text of each column header; null without a header row. */
  readonly headers: string[] | null;
  readonly rows: TableCell[][];
}

/** Reads a `<table>` or an ARIA grid, without hidden rows, footers, and rows that consist of one spanning cell. */
export const readGrid = pageFunction(
  (element: Element, attributes: string[], tools): TableGrid => {
    type Spot = { cell: Element; head: boolean };
    const queryAll = (selector: string) => [...element.querySelectorAll(selector)];
    const table = element instanceof HTMLTableElement ? element : element.querySelector('table');
    const closestTable = (row: Element) => row.closest('table, [role=table], [role=grid], [role=treegrid]');
    const isTable = element instanceof HTMLTableElement;
    const rows: Element[] = isTable
      ? [...element.rows].filter(
          (row) => !(row.parentElement instanceof HTMLTableSectionElement && row.parentElement.tagName === 'TFOOT'),
        )
      : queryAll('[role=row]').some((row) => closestTable(row) === element)
        ? queryAll('[role=row]').filter((row) => closestTable(row) === element)
        : table
          ? [...table.rows].filter((row) => row.parentElement?.tagName !== 'TFOOT')
          : [];
    const cellsOf = (row: Element): Element[] =>
      row instanceof HTMLTableRowElement && row.cells.length > 0
        ? [...row.cells]
        : [...row.querySelectorAll('[role=cell], [role=gridcell], [role=columnheader], [role=rowheader]')].filter(
            (cell) => cell.closest('[role=row]') === row,
          );
    const span = (cell: Element, name: 'colspan' | 'rowspan') => {
      const aria = cell.getAttribute(`aria-${name}`);
      return Math.min(1000, Math.max(1, Number(cell.getAttribute(name) ?? aria ?? 1) || 1));
    };
    const isHead = (cell: Element) =>
      (cell.tagName === 'TH' && cell.getAttribute('scope') !== 'row') || cell.getAttribute('role') === 'columnheader';

    // Rows as a grid. A spanning cell fills all its positions.
    const grid: { row: Element; spots: Spot[] }[] = [];
    let rowSpans: { spot: Spot; remainingRows: number }[] = [];
    for (const row of rows) {
      if (!tools.visible(row)) continue;
      const spots: Spot[] = [];
      const next: { spot: Spot; remainingRows: number }[] = [];
      const fillFromAbove = () => {
        for (let spanning = rowSpans[spots.length]; spanning; spanning = rowSpans[spots.length]) {
          if (spanning.remainingRows > 1)
            next[spots.length] = { spot: spanning.spot, remainingRows: spanning.remainingRows - 1 };
          spots.push(spanning.spot);
        }
      };
      for (const cell of cellsOf(row)) {
        fillFromAbove();
        const spot = { cell, head: isHead(cell) };
        for (let column = span(cell, 'colspan'); column > 0; column -= 1) {
          if (span(cell, 'rowspan') > 1) next[spots.length] = { spot, remainingRows: span(cell, 'rowspan') - 1 };
          spots.push(spot);
        }
      }
      fillFromAbove();
      rowSpans = next;
      if (spots.length > 0) grid.push({ row, spots });
    }

    // The header consists of all leading rows of header cells. The last of them names the columns.
    let depth = grid.findIndex(
      ({ row, spots }) => !(row.parentElement?.tagName === 'THEAD' || spots.every(({ head }) => head)),
    );
    if (depth < 0) depth = grid.length;
    const headers =
      depth === 0 ? null : (grid[depth - 1]?.spots.map(({ cell }) => tools.textOf(cell).replace(/\s+/g, ' ')) ?? null);
    const isSpanningRow = ({ spots }: { spots: Spot[] }) =>
      headers !== null && headers.length > 1 && spots.length > 0 && spots.every(({ cell }) => cell === spots[0]?.cell);
    const attributeOf = (cell: Element, name: string) => {
      const holder = cell.hasAttribute(name) ? cell : cell.querySelector(`[${CSS.escape(name)}]`);
      return holder ? tools.attribute(holder, name) : null;
    };
    return {
      language: element.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang,
      headers,
      rows: grid
        .slice(depth)
        .filter(
          (row) =>
            !(isSpanningRow(row) && span(row.spots[0]?.cell ?? element, 'colspan') > 1) &&
            !row.spots.every(({ head }) => head),
        )
        .map(({ spots }, index) =>
          spots.map(({ cell }) => ({
            text: tools.textOf(cell),
            path: index < 100 ? tools.pathOf(cell, tools.plain) : '',
            attributes: Object.fromEntries(attributes.map((name) => [name, attributeOf(cell, name)])),
          })),
        ),
    };
  },
  { pathOf: cssPath },
);
