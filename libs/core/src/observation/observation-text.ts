import type { Bounds, ElementState, ElementView, Observation, ObservationLevel } from '@pilothouse/contract';
import { locatorLines } from './locator-text.ts';

/** Characters of a name in a list; of what there is to read, and of a value. */
const NAME = 80;
export const MAX_TEXT_CHARS = 300;
const VALUE = 80;

/** A text that is not longer than so much; what is cut says how long it was. @param length of the whole, when it was cut before */
export function truncateWithLength(text: string, max: number, length = text.length): string {
  if (length <= max && text.length <= max) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, max)) ? max - 1 : max;
  return `${text.slice(0, end).trimEnd()}… (${Math.max(length, text.length)} characters)`;
}

/** A text of so many characters at the most; what is cut ends with `…`, by which a mask knows that a secret may be cut there. */
export const ellipsize = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;

/** An element in short: `button "Save"`. */
export const describeElement = ({
  role,
  name,
  fallbackName: hint,
}: Pick<ElementView, 'role' | 'name' | 'fallbackName'>): string =>
  name ? `${role} "${truncateWithLength(name, NAME)}"` : hint ? `${role} .${hint}` : role;

/** What a state says, each in a word; what goes without saying is left out. */
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
 * What was seen, as a text for a model: where it is, then one element a line under the number that actions use. Elements with
 * locators have these below them.
 * @param level how much of it is told (default: all there is): `interactive` has only what takes input; `page` the text of the page, too
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

/** What stands between the cells of a row. */
const CELL = ' | ';

/** The element at a place of the list; of a row, followed by those behind it that are all of what one of its cells says. */
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

/** Where it is: address and title, whether it is loading, what has the focus, and how much of the page is out of view. */
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
