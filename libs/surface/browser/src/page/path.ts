/// <reference lib="dom" />

/**
 * Where an element stands, to find it again: a CSS path from the nearest id that only one element has, or from the root. What is in an
 * open shadow root stands after ` >> `. Runs in the page: it may use nothing but its argument.
 */
export function pathOf(element: Element): string {
  const parts: string[] = [];
  let at: Element | null = element;
  while (at && parts.length < 40) {
    const root: Document | ShadowRoot | null =
      at.getRootNode() instanceof ShadowRoot ? (at.getRootNode() as ShadowRoot) : at.ownerDocument;
    const { id, localName }: Element = at;
    const isNamed: boolean = id !== '' && root.querySelectorAll(`#${CSS.escape(id)}`).length === 1;
    let place = 1;
    let alone = true;
    for (let other = at.previousElementSibling; other; other = other.previousElementSibling)
      if (other.localName === localName) place += 1;
    for (let other = at.nextElementSibling; other && alone; other = other.nextElementSibling)
      alone = other.localName !== localName;
    parts.unshift(
      isNamed ? `#${CSS.escape(id)}` : place > 1 || !alone ? `${localName}:nth-of-type(${place})` : localName,
    );
    const up: Element | null = isNamed ? null : at.parentElement;
    if (up) parts.unshift(' > ');
    else if (root instanceof ShadowRoot) parts.unshift(' >> ');
    at = up ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return parts.join('');
}
