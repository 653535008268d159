import type { Bounds, ElementState, ElementView, Observation, ObservationLevel } from '@pilothouse/contract';
import { locatorLines } from './locator-text.ts';

/** Maximum characters of a name, of readable text, and of a value. */
const NAME = 80;
export const MAX_TEXT_CHARS = 300;
const VALUE = 80;

/**
 * Cuts a text. A cut text states its full length.
 * @param length full length, if the text was cut before
 */
export function truncateWithLength(text: string, max: number, length = text.length): string {
  if (length <= max && text.length <= max) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, max)) ? max - 1 : max;
  return `${text.slice(0, end).trimEnd()}… (${Math.max(length, text.length)} characters)`;
}

/** Cuts a text to a maximum length. The trailing `…` tells the masker that a secret may be cut there. */
export const ellipsize = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;

/** An element in short: `button "Save"`. */
export const describeElement = ({
  role,
  name,
  fallbackName: hint,
}: Pick<ElementView, 'role' | 'name' | 'fallbackName'>): string =>
  name ? `${role} "${truncateWithLength(name, NAME)}"` : hint ? `${role} .${hint}` : role;

/** State of an element in words; default states are omitted. */
function stateWords(state: ElementState): string[] {
  const words: string[] = [];
  if (state.checked !== undefined)
    words.push(state.checked === 'mixed' ? 'half checked' : state.checked ? 'checked' : 'unchecked');
  if (state.pressed !== undefined)
    words.push(state.pressed === 'mixed' ? 'half pressed' : state.pressed ? 'pressed' : 'unpressed');
  if (state.selected) words.push('selected');
  if (state.expanded !== undefined) words.push(state.expanded ? 'expanded' : 'collapsed');
  if (state.disabled) words.push('disabled');
  if (state.readonly) words.push('readonly');
  if (state.focused) words.push('focused');
  return words;
}

/** One line of the list: `[3] textbox "Name" = "Robin" required focused`. */
export function elementLine(element: ElementView): string {
  const { index, interactive, role, name, length, fallbackName: hint, context, value, state, tags: marks } = element;
  if (!interactive)
    return `[${index}] ${role === 'text' || role === 'paragraph' ? '' : `${role} `}${truncateWithLength(name, MAX_TEXT_CHARS, length)}`;
  const says = name ? `"${truncateWithLength(name, NAME, length)}"` : hint ? `.${truncateWithLength(hint, NAME)}` : '';
  const holds = value === undefined ? '' : value === '' ? '' : `= "${truncateWithLength(value, VALUE)}"`;
  const where = context === undefined || name ? '' : truncateWithLength(context, NAME);
  return [`[${index}]`, role, says, where, holds, ...marks, ...stateWords(state)].filter(Boolean).join(' ');
}

/** Characters of an address in the head of the list. */
const ADDRESS = 120;

/**
 * An observation as text for a model: the page, then one element per line with its index. Locators follow their element.
 * @param level level of detail (default: everything): `interactive` has only elements that accept input; `page` includes the text of the
 * page
 */
export function observationText(observation: Observation, level: ObservationLevel = 'page'): string {
  const { elements, opaqueRegions, text } = observation;
  const shown = level === 'interactive' ? elements.filter(({ interactive }) => interactive) : elements;
  const lines = [...head(observation)];
  let frame: string | undefined;
  for (let at = 0; at < shown.length;) {
    const [element, ...inside] = inCells(shown, at);
    if (!element) break;
    at += 1 + inside.length;
    if (element.frame !== frame)
      lines.push(element.frame === undefined ? 'page:' : `frame ${truncateWithLength(element.frame, ADDRESS)}:`);
    frame = element.frame;
    lines.push(inside.length > 0 ? rowLine(element, inside) : elementLine(element));
    for (const one of [element, ...inside]) lines.push(...locatorLines(one, inside.length > 0));
  }
  if (shown.length === 0) lines.push(level === 'interactive' ? 'nothing takes input here' : 'nothing is in view');
  for (const { kind: what, name, bounds } of opaqueRegions) {
    lines.push(
      `unseen: ${what.replaceAll('-', ' ')}${name ? ` ${truncateWithLength(name, 60)}` : ''}, ${bounds.width}×${bounds.height} at ${bounds.x},${bounds.y}`,
    );
  }
  if (level === 'page' && text)
    lines.push('text of the page:', truncateWithLength(text.text, text.text.length, text.length));
  return lines.join('\n');
}

/** Separator of the cells of a row. */
const CELL = ' | ';

/** The element at an index of the list; for a row, followed by the elements that its cells already contain. */
function inCells(elements: readonly ElementView[], at: number): ElementView[] {
  const row = elements[at];
  if (!row) return [];
  const isWhole = row.length === undefined && row.name.length <= MAX_TEXT_CHARS;
  const cells = row.interactive || row.role !== 'row' || !isWhole ? [] : row.name.split(CELL);
  const inside: ElementView[] = [];
  for (const one of elements.slice(at + 1)) {
    const cell = one.name === '' ? -1 : cells.indexOf(one.name);
    if (cell < 0 || !one.interactive || one.frame !== row.frame || !isWithin(one.bounds, row.bounds)) break;
    cells.splice(0, cell + 1);
    inside.push(one);
  }
  return [row, ...inside];
}

const isWithin = (inner: Bounds, outer: Bounds): boolean =>
  inner.x >= outer.x - 1 &&
  inner.y >= outer.y - 1 &&
  inner.x + inner.width <= outer.x + outer.width + 1 &&
  inner.y + inner.height <= outer.y + outer.height + 1;

/** A row with its controls in their cells: `[15] row RL-1010 | [16] link "Mooring rope" | €189.00`. */
function rowLine(row: ElementView, inside: readonly ElementView[]): string {
  const left = [...inside];
  const cells = row.name.split(CELL).map((cell) => {
    const [next] = left;
    if (next?.name !== cell) return cell;
    left.shift();
    return elementLine(next);
  });
  return elementLine({ ...row, name: '' }) + cells.join(CELL);
}

/** The page: URL, title, loading state, focus, and the parts outside the viewport. */
function head({ url, title, loading, focused, focus, scroll, elements }: Observation): string[] {
  const lines = [
    title ? `${truncateWithLength(title, 80)} ${truncateWithLength(url, ADDRESS)}` : truncateWithLength(url, ADDRESS),
  ];
  const facts: string[] = [];
  if (loading) facts.push('loading');
  if (focused !== null && elements.some(({ index }) => index === focused)) facts.push(`focus ${focused}`);
  if (focus) facts.push(`focus ${describeElement(focus)}, not in the list`);
  if (scroll.above > 0) facts.push(`${scroll.above} px above`);
  if (scroll.below > 0) facts.push(`${scroll.below} px below`);
  if (facts.length > 0) lines.push(facts.join(', '));
  return lines;
}
