import { type PageHelpers, pageFunction } from './evaluate-functions.ts';
import { cssPath } from './alternative-locators.ts';

/** What is wanted of an element. */
export interface FieldQuery {
  readonly css: string | null;
  readonly attribute: string | null;
}

/** What was read: the text, null when it is not there, and where it stood; or what is wrong. */
export type FieldText = { readonly text: string | null; readonly from: string } | { readonly wrong: string };

/** Elements of which it is told where they stand. */
const TOLD = 100;

const readingOf = (
  elements: Element[],
  { wanted, told }: { wanted: FieldQuery[]; told: number },
  tools: PageHelpers & { pathOf: typeof cssPath },
) => {
  const inside = (element: Element, css: string): Element[] => {
    const near = [...element.querySelectorAll(css)];
    if (near.length > 0) return near;
    /* Open shadow roots, as locators reach into them. */
    const hosts = [element, ...element.querySelectorAll('*')].filter((one) => one.shadowRoot instanceof ShadowRoot);
    return hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll(css) ?? [])]);
  };
  const one = (element: Element, { css, attribute }: FieldQuery, index: number): FieldText => {
    let at: Element | undefined = element;
    if (css !== null) {
      let found: Element[];
      try {
        found = inside(element, css);
      } catch {
        return { wrong: `${css} is no CSS selector` };
      }
      const shown = found.length > 1 ? found.filter((candidate) => tools.visible(candidate)) : found;
      if (shown.length > 1) {
        const seen = shown.slice(0, 5).map((candidate) => tools.describe(candidate));
        return { wrong: `${css} matches ${shown.length} elements: ${seen.join(', ')}; make it more exact` };
      }
      at = shown[0] ?? found[0];
    }
    const from =
      index < told ? tools.pathOf(at ?? element, tools.plain) + (attribute === null ? '' : ` @${attribute}`) : '';
    if (!at) return { text: null, from };
    return { text: attribute === null ? tools.read(at) : tools.attribute(at, attribute), from };
  };
  return {
    language: elements[0]?.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang,
    rows: elements.map((element, index) => wanted.map((field) => one(element, field, index))),
  };
};

/** Reads some texts of each element, and the language of the page. */
export const readFields = pageFunction(readingOf, { pathOf: cssPath });

/** What `readFields` is to read. */
export const fieldQuery = (wanted: FieldQuery[]) => ({ wanted, told: TOLD });

/** A cell of a body row: its text, and the attributes that were asked for. */
export interface TableCell {
  readonly text: string;
  /** Where it stands; empty beyond the first hundred rows. */
  readonly from: string;
  readonly attributes: Record<string, string | null>;
}

/** A table as it is seen: cells that span columns or rows stand in each. */
export interface TableGrid {
  readonly language: string;
  /** Text of each column's header; null when there is no header row. */
  readonly headers: string[] | null;
  readonly rows: TableCell[][];
}

/** Reads a `<table>`, or a grid made with ARIA roles, without its hidden rows, its footer, and rows that are one cell across. */
export const readGrid = pageFunction(
  (element: Element, attributes: string[], tools): TableGrid => {
    type Spot = { cell: Element; head: boolean };
    const own = (selector: string) => [...element.querySelectorAll(selector)];
    const table = element instanceof HTMLTableElement ? element : element.querySelector('table');
    const nested = (row: Element) => row.closest('table, [role=table], [role=grid], [role=treegrid]');
    const isTable = element instanceof HTMLTableElement;
    const rows: Element[] = isTable
      ? [...element.rows].filter(
          (row) => !(row.parentElement instanceof HTMLTableSectionElement && row.parentElement.tagName === 'TFOOT'),
        )
      : own('[role=row]').some((row) => nested(row) === element)
        ? own('[role=row]').filter((row) => nested(row) === element)
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

    /* Rows as a grid: a spanning cell fills all its places. */
    const grid: { row: Element; spots: Spot[] }[] = [];
    let below: { spot: Spot; left: number }[] = [];
    for (const row of rows) {
      if (!tools.visible(row)) continue;
      const spots: Spot[] = [];
      const next: { spot: Spot; left: number }[] = [];
      const fromAbove = () => {
        for (let over = below[spots.length]; over; over = below[spots.length]) {
          if (over.left > 1) next[spots.length] = { spot: over.spot, left: over.left - 1 };
          spots.push(over.spot);
        }
      };
      for (const cell of cellsOf(row)) {
        fromAbove();
        const spot = { cell, head: isHead(cell) };
        for (let column = span(cell, 'colspan'); column > 0; column -= 1) {
          if (span(cell, 'rowspan') > 1) next[spots.length] = { spot, left: span(cell, 'rowspan') - 1 };
          spots.push(spot);
        }
      }
      fromAbove();
      below = next;
      if (spots.length > 0) grid.push({ row, spots });
    }

    /* The header is all rows from the top that are made of header cells; the lowest one names the columns. */
    let depth = grid.findIndex(
      ({ row, spots }) => !(row.parentElement?.tagName === 'THEAD' || spots.every(({ head }) => head)),
    );
    if (depth < 0) depth = grid.length;
    const headers =
      depth === 0 ? null : (grid[depth - 1]?.spots.map(({ cell }) => tools.read(cell).replace(/\s+/g, ' ')) ?? null);
    const across = ({ spots }: { spots: Spot[] }) =>
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
            !(across(row) && span(row.spots[0]?.cell ?? element, 'colspan') > 1) &&
            !row.spots.every(({ head }) => head),
        )
        .map(({ spots }, index) =>
          spots.map(({ cell }) => ({
            text: tools.read(cell),
            from: index < 100 ? tools.pathOf(cell, tools.plain) : '',
            attributes: Object.fromEntries(attributes.map((name) => [name, attributeOf(cell, name)])),
          })),
        ),
    };
  },
  { pathOf: cssPath },
);
