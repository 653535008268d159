/// <reference lib="dom" />
import type { DomTree } from './dom-tree.ts';
import { ariaLabelOf, isSvg, svgTitleOf, tidy } from './name-parts.ts';
import { plain } from './native-properties.ts';

/** Number of ancestors searched for context, and maximum length of the context. */
const MAX_ANCESTORS = 5;
const MAX_CONTEXT_CHARS = 60;
/** With more similar elements, a position says nothing. */
const MAX_SIMILAR_ELEMENTS = 50;

/** Reads the visible text of an element. */
type ReadContent = (element: Element, includesHidden?: boolean, maxChars?: number) => string;

const classOf = (element: Element): string => plain(element).getAttribute('class')?.trim().split(/\s+/)[0] ?? '';

const labelOf = (container: Element): string =>
  ariaLabelOf(container) ||
  (isSvg(container) && svgTitleOf(container)) ||
  tidy(plain(container).getAttribute('title') ?? '');

/** Returns the text of a container. Of a text above the maximum length, only its beginning is read. */
const textOf = (container: Element, readContent: ReadContent): string => {
  // Most characters of a source text may be indentation.
  const maxChars = 4 * MAX_CONTEXT_CHARS;
  const start = readContent(container, false, maxChars);
  const text = tidy(start);
  return start.length < maxChars || text.length > MAX_CONTEXT_CHARS ? text : tidy(readContent(container));
};

/** Returns the nearest container with a label or a short text, and that text. */
const labelledContainer = (element: Element, tree: Pick<DomTree, 'parentOf'>, readContent: ReadContent) => {
  let container: Element = element;
  let label = '';
  for (let depth = 0; depth < MAX_ANCESTORS && !label; depth += 1) {
    const parent = tree.parentOf(container);
    if (!parent || parent.localName === 'body' || parent.localName === 'html') break;
    container = parent;
    label = labelOf(parent);
    const text = label ? '' : textOf(parent, readContent);
    if (text.length > MAX_CONTEXT_CHARS) break;
    label ||= text;
  }
  return { container, label };
};

/** Returns `2 of 3`; '' if there is no similar element, or too many. */
export const positionText = (index: number, count: number): string =>
  count > 1 && count <= MAX_SIMILAR_ELEMENTS ? `${index + 1} of ${count}` : '';

/** Describes the surroundings of an element without a name, for example `2 of 3 in "Node A"`. */
export function contextOf(element: Element, tree: Pick<DomTree, 'parentOf'>, readContent: ReadContent): string {
  const { container, label } = labelledContainer(element, tree, readContent);
  const similar = [...plain(container).querySelectorAll(plain(element).localName)].filter(
    (candidate) => classOf(candidate) === classOf(element),
  );
  const position = positionText(similar.indexOf(element), similar.length);
  return [position, label && label.length <= MAX_CONTEXT_CHARS ? `in "${label}"` : ''].filter(Boolean).join(' ');
}
