/// <reference lib="dom" />
import type { plain } from '@pilothouse/surface-page-elements';

type Plain = typeof plain;

/**
 * CSS path of an element from the nearest unique id or from the root. Content of an open shadow root follows after `
 * >> `. Runs in the page and may use only its arguments.
 */
export function cssPath(element: Element, plain: Plain): string {
  const parts: string[] = [];
  let node: Element | null = element;
  while (node && parts.length < 40) {
    const native: Element = plain(node);
    const top = native.getRootNode();
    const root: Document | ShadowRoot = top instanceof ShadowRoot ? top : native.ownerDocument;
    const { id, localName } = native;
    const isNamed: boolean = id !== '' && root.querySelectorAll(`#${CSS.escape(id)}`).length === 1;
    let position = 1;
    let isOnlyOfType = true;
    for (let sibling = native.previousElementSibling; sibling; sibling = plain(sibling).previousElementSibling)
      if (plain(sibling).localName === localName) position += 1;
    for (let next = native.nextElementSibling; next && isOnlyOfType; next = plain(next).nextElementSibling)
      isOnlyOfType = plain(next).localName !== localName;
    parts.unshift(
      isNamed
        ? `#${CSS.escape(id)}`
        : position > 1 || !isOnlyOfType
          ? `${localName}:nth-of-type(${position})`
          : localName,
    );
    const up: Element | null = isNamed ? null : native.parentElement;
    if (up) parts.unshift(' > ');
    else if (root instanceof ShadowRoot) parts.unshift(' >> ');
    node = up ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return parts.join('');
}
