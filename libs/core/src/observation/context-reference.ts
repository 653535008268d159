import type { Bounds, ElementView } from '@pilothouse/contract/observation/observation.schema';

/** Number of elements before an element without a name that its context may refer to. */
const MAX_DISTANCE = 6;

/** A context as the page script writes it: `2 of 3 in "Node A"`. Both parts are optional. */
const CONTEXT = /^(?<order>\d+ of \d+)?\s*(?:in "(?<text>.*)")?$/s;

/**
 * Short contexts by the index of their element. The text around an icon mostly begins with a listed element just before
 * it, such as the link of its row. Then `in [4]` says the same as the text. `beside [4]` refers to an element that does
 * not contain the icon. A context that repeats the value of its own field is omitted.
 * @param elements as they are listed
 */
export function contextReferences(elements: readonly ElementView[]): ReadonlyMap<number, string> {
  const references = new Map<number, string>();
  if (!elements.some(({ context, name }) => context !== undefined && !name)) return references;
  const counts = new Map<string, number>();
  for (const { name } of elements) counts.set(name, (counts.get(name) ?? 0) + 1);
  elements.forEach((element, position) => {
    const { order, text } = (element.name === '' && CONTEXT.exec(element.context ?? '')?.groups) || {};
    if (text === undefined) return;
    const namedElement = elements
      .slice(Math.max(0, position - MAX_DISTANCE), position)
      .findLast(
        (previous) =>
          previous.frame === element.frame && counts.get(previous.name) === 1 && beginsWithName(text, previous),
      );
    if (element.value === text) references.set(element.index, order ?? '');
    else if (namedElement)
      references.set(element.index, [order, referenceTo(namedElement, element)].filter(Boolean).join(' '));
  });
  return references;
}

const referenceTo = ({ index, bounds }: ElementView, element: ElementView): string =>
  `${contains(bounds, element.bounds) ? 'in' : 'beside'} [${index}]`;

/** True if a text begins with an element's whole name, and no letter or digit follows. */
const beginsWithName = (text: string, { name, length }: ElementView): boolean =>
  name !== '' && length === undefined && text.startsWith(name) && !/^[\p{L}\p{N}]/u.test(text.slice(name.length));

/** True if a box contains another one, apart from rounding. */
export const contains = (outer: Bounds, inner: Bounds): boolean =>
  inner.x >= outer.x - 1 &&
  inner.y >= outer.y - 1 &&
  inner.x + inner.width <= outer.x + outer.width + 1 &&
  inner.y + inner.height <= outer.y + outer.height + 1;
