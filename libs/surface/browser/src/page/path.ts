/// <reference lib="dom" />
import type { plain } from './plain.ts';

type Plain = typeof plain;

/**
 * Where an element stands, to find it again: a CSS path from the nearest id that only one element has, or from the root. What is in an
 * open shadow root stands after ` >> `. Runs in the page: it may use nothing but its arguments.
 */
export function cssPath(element: Element, plain: Plain): string {
  const parts: string[] = [];
  let at: Element | null = element;
  while (at && parts.length < 40) {
    const own: Element = plain(at);
    const top = own.getRootNode();
    const root: Document | ShadowRoot = top instanceof ShadowRoot ? top : own.ownerDocument;
    const { id, localName } = own;
    const isNamed: boolean = id !== '' && root.querySelectorAll(`#${CSS.escape(id)}`).length === 1;
    let place = 1;
    let alone = true;
    for (let other = own.previousElementSibling; other; other = plain(other).previousElementSibling)
      if (plain(other).localName === localName) place += 1;
    for (let other = own.nextElementSibling; other && alone; other = plain(other).nextElementSibling)
      alone = plain(other).localName !== localName;
    parts.unshift(
      isNamed ? `#${CSS.escape(id)}` : place > 1 || !alone ? `${localName}:nth-of-type(${place})` : localName,
    );
    const up: Element | null = isNamed ? null : own.parentElement;
    if (up) parts.unshift(' > ');
    else if (root instanceof ShadowRoot) parts.unshift(' >> ');
    at = up ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return parts.join('');
}
