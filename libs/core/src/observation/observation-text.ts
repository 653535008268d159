import type { ElementState, ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { contains, contextReferences } from './context-reference.ts';
import { locatorLines } from './locator-text.ts';

/** Maximum characters of a name, of readable text, and of a value. */
const MAX_NAME_CHARS = 80;
export const MAX_TEXT_CHARS = 300;
const MAX_FIELD_CHARS = 80;
const MAX_DESCRIPTION_CHARS = 80;

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
export const ellipsize = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1)}…`.toWellFormed() : text;

/** An element in short: `button "Save"`. */
export const describeElement = ({
  role,
  name,
  fallbackName,
}: Pick<ElementView, 'role' | 'name' | 'fallbackName'>): string =>
  name ? `${role} "${truncateWithLength(name, MAX_NAME_CHARS)}"` : fallbackName ? `${role} .${fallbackName}` : role;

/** State of an element as text; default states are omitted. */
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

/**
 * One line of the list: `[3] textbox "Name" = "Robin" required focused`.
 * @param context surroundings of an element without a name
 */
export function elementLine(element: ElementView, context = element.context): string {
  const { index, interactive, role, name, length, fallbackName, description, value, state, tags } = element;
  if (!interactive)
    return `[${index}] ${role === 'text' || role === 'paragraph' ? '' : `${role} `}${truncateWithLength(name, MAX_TEXT_CHARS, length)}`;
  const nameText = name
    ? `"${truncateWithLength(name, MAX_NAME_CHARS, length)}"`
    : fallbackName
      ? `.${truncateWithLength(fallbackName, MAX_NAME_CHARS)}`
      : '';
  const valueText = value === undefined ? '' : value === '' ? '' : `= "${truncateWithLength(value, MAX_FIELD_CHARS)}"`;
  const contextText = context === undefined || name ? '' : truncateWithLength(context, MAX_NAME_CHARS);
  const descriptionText =
    description === undefined || description === name
      ? ''
      : `(${truncateWithLength(description, MAX_DESCRIPTION_CHARS)})`;
  return [`[${index}]`, role, nameText, contextText, descriptionText, valueText, ...tags, ...stateWords(state)]
    .filter(Boolean)
    .join(' ');
}

/** Characters of an address in the head of the list. */
const MAX_URL_CHARS = 120;

/**
 * An observation as text for a model: the page, then one element per line with its index. Locators follow their element.
 * @param level level of detail (default: everything): `interactive` has only elements that accept input; `page` includes the text of the
 * page
 */
export function observationText(observation: Observation, level: ObservationLevel = 'page'): string {
  const { elements, opaqueRegions, incomplete, text } = observation;
  const visibleElements = level === 'interactive' ? elements.filter(({ interactive }) => interactive) : elements;
  const lines = [...pageLines(observation)];
  const contexts = contextReferences(visibleElements);
  let frame: string | undefined;
  for (let start = 0; start < visibleElements.length;) {
    const [element, ...cellElements] = rowWithCells(visibleElements, start);
    if (!element) break;
    start += 1 + cellElements.length;
    if (element.frame !== frame)
      lines.push(element.frame === undefined ? 'page:' : `frame ${truncateWithLength(element.frame, MAX_URL_CHARS)}:`);
    frame = element.frame;
    lines.push(
      cellElements.length > 0
        ? rowLine(element, cellElements)
        : elementLine(element, contexts.get(element.index) ?? element.context),
    );
    for (const listed of [element, ...cellElements]) lines.push(...locatorLines(listed, cellElements.length > 0));
  }
  if (visibleElements.length === 0) lines.push(level === 'interactive' ? 'no input elements' : 'no elements in view');
  for (const { kind, name, bounds } of opaqueRegions) {
    lines.push(
      `unseen: ${kind.replaceAll('-', ' ')}${name ? ` ${truncateWithLength(name, 60)}` : ''}, ${bounds.width}×${bounds.height} at ${bounds.x},${bounds.y}`,
    );
  }
  if (incomplete) lines.push(incompleteLine(incomplete));
  if (level === 'page' && text)
    lines.push(
      text.isRecognized ? 'text recognized in the screenshot:' : 'text of the page:',
      truncateWithLength(text.text, text.text.length, text.length),
    );
  return lines.join('\n');
}

/** States that elements are missing, and what to do. */
function incompleteLine({ reason, app }: NonNullable<Observation['incomplete']>): string {
  const name = app ? `application ${truncateWithLength(app, MAX_NAME_CHARS)}` : 'application';
  switch (reason) {
    case 'unresponsive':
      return `incomplete: the ${name} is not responding; wait, or use another window`;
    case 'timeout':
      return `incomplete: the ${name} was too slow, elements are missing; observe again, or use the screenshot`;
    case 'truncated':
      return `incomplete: the ${name} shows more elements than listed; scroll, or use the screenshot`;
    case 'parser':
      return `incomplete: the ${name} lists no elements, and the screen parser failed; use the screenshot`;
  }
}

/** Separator of a row's cells. */
const CELL_SEPARATOR = ' | ';

/** The element at an index of the list; for a row, followed by the elements that its cells already contain. */
function rowWithCells(elements: readonly ElementView[], start: number): ElementView[] {
  const row = elements[start];
  if (!row) return [];
  const isWhole = row.length === undefined && row.name.length <= MAX_TEXT_CHARS;
  const cells = row.interactive || row.role !== 'row' || !isWhole ? [] : row.name.split(CELL_SEPARATOR);
  const cellElements: ElementView[] = [];
  for (const candidate of elements.slice(start + 1)) {
    const cell = candidate.name === '' ? -1 : cells.indexOf(candidate.name);
    if (cell < 0 || !candidate.interactive || candidate.frame !== row.frame || !contains(row.bounds, candidate.bounds))
      break;
    cells.splice(0, cell + 1);
    cellElements.push(candidate);
  }
  return [row, ...cellElements];
}

/** A row with its controls in their cells: `[15] row RL-1010 | [16] link "Mooring rope" | €189.00`. */
function rowLine(row: ElementView, cellElements: readonly ElementView[]): string {
  const remaining = [...cellElements];
  const cells = row.name.split(CELL_SEPARATOR).map((cell) => {
    const [next] = remaining;
    if (next?.name !== cell) return cell;
    remaining.shift();
    return elementLine(next);
  });
  return elementLine({ ...row, name: '' }) + cells.join(CELL_SEPARATOR);
}

/** Windows and applications in the text at most. */
const MAX_WINDOWS = 20;
const MAX_APPLICATIONS = 60;

/** Other windows of a desktop, and the applications to open where none is active. */
function desktopLines({ windows = [], applications = [] }: Observation): string[] {
  const lines: string[] = [];
  const others = windows
    .slice(-MAX_WINDOWS)
    .map(({ app, title }) => `${app} ${JSON.stringify(truncateWithLength(title, MAX_NAME_CHARS))}`);
  if (others.length > 0) lines.push(`other windows: ${others.join('; ')}`);
  const installed = applications
    .slice(0, MAX_APPLICATIONS)
    .map(({ id, name }) => `${id} (${truncateWithLength(name, MAX_NAME_CHARS)})`);
  if (installed.length > 0) lines.push(`no window is active; applications: ${installed.join(', ')}`);
  return lines;
}

/** The page: URL, title, loading state, focus, and the parts outside the viewport. */
function pageLines(observation: Observation): string[] {
  const { url, title, page, loading, focused, focus, scroll, elements } = observation;
  const lines = [
    title
      ? `${truncateWithLength(title, 80)} ${truncateWithLength(url, MAX_URL_CHARS)}`
      : truncateWithLength(url, MAX_URL_CHARS),
  ];
  if (page) lines.push(`address: ${truncateWithLength(page.url, MAX_URL_CHARS)}`);
  const facts: string[] = [];
  if (loading) facts.push('loading');
  if (focused !== null && elements.some(({ index }) => index === focused)) facts.push(`focus ${focused}`);
  if (focus) facts.push(`focus ${describeElement(focus)}, not in the list`);
  if (scroll.above > 0) facts.push(`${scroll.above} px above`);
  if (scroll.below > 0) facts.push(`${scroll.below} px below: scroll down to see more`);
  if (facts.length > 0) lines.push(facts.join(', '));
  lines.push(...desktopLines(observation));
  return lines;
}
