import { elementFunction, pageFunction } from './evaluate-functions.ts';

/** Names of visible elements, for the kind of locator that found nothing. */
export const visibleNames = pageFunction((elements: Element[], by: string, tools): string[] => {
  const nameOf = (element: Element) => {
    if (by.startsWith('[')) return element.getAttribute(by.slice(1, -1)) ?? '';
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    const value =
      element instanceof HTMLInputElement && ['submit', 'button', 'reset'].includes(element.type) ? element.value : '';
    const text = element instanceof HTMLElement ? element.innerText : (element.textContent ?? '');
    return (
      element.getAttribute('aria-label') ||
      labels.map((label) => label.innerText).join(' ') ||
      value ||
      text ||
      element.getAttribute('title') ||
      ''
    );
  };
  const names = elements
    .slice(0, 500)
    .filter((element) => tools.visible(element))
    .map((element) => nameOf(element).replace(/\s+/g, ' ').trim().slice(0, 80));
  return [...new Set(names)].filter((name) => name !== '').slice(0, 100);
});

/** The beginning of what the page says. */
export const bodyText = pageFunction((body: Element, max: number): string =>
  (body instanceof HTMLElement ? body.innerText : (body.textContent ?? '')).replace(/\s+/g, ' ').trim().slice(0, max),
);

/**
 * Whether a document may hold an element with a text, as Playwright's `getByText` finds one: without regard to case and runs of white space, in open
 * shadow roots, too. The text of an element is part of the text of those around it, so what all of the document does not say no element says.
 * Asked first, it spares documents that do not say it Playwright's own code, which holds 3 MB of each (docs/performance.md).
 */
export const mayContainText = pageFunction((wanted: string, _: undefined): boolean => {
  const tidy = (text: string) =>
    text
      .replace(/[\u200b\u00ad]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const silent = new Set(['SCRIPT', 'NOSCRIPT', 'STYLE', 'HEAD']);
  let said = '';
  const hear = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) said += node.nodeValue ?? '';
    else if (node instanceof HTMLInputElement && ['submit', 'button'].includes(node.type)) said += node.value;
    else if (!silent.has(node.nodeName.toUpperCase())) {
      for (let child = node.firstChild; child; child = child.nextSibling) hear(child);
      if (node instanceof Element && node.shadowRoot) hear(node.shadowRoot);
    }
  };
  hear(document);
  return tidy(said).includes(tidy(wanted));
}) as (wanted: string) => boolean;

/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The texts of scripts that a CSS selector finds, and what other scripts with data there are. Runs in the page. */
export const scriptTexts = (css: string): { texts: string[]; others: string[]; wrong: string } => {
  try {
    const texts = [...document.querySelectorAll(css)].map((script) => script.textContent ?? '');
    const others = [...document.querySelectorAll('script[type*=json i], script[id]')]
      .map((script) => (script.id ? `#${script.id}` : `script[type="${script.getAttribute('type') ?? ''}"]`))
      .slice(0, 20);
    return { texts, others, wrong: '' };
  } catch {
    return { texts: [], others: [], wrong: `${css} is no CSS selector` };
  }
};

/** How far, or to which end. */
export interface ScrollDistance {
  readonly x: number;
  readonly y: number;
  readonly to: 'top' | 'bottom' | 'left' | 'right' | null;
}

/**
 * Scrolls what scrolls around an element: the element itself, else the nearest one around it that can go that way, at last the page.
 * Of the whole page, when that does not scroll, what scrolls in its middle.
 * @returns false when nothing can go that way
 */
export const scrollContainer = elementFunction((element: Element, { x, y, to }: ScrollDistance, { plain }): boolean => {
  const sideways = to === null ? Math.abs(x) > Math.abs(y) : to === 'left' || to === 'right';
  const scrolls = (one: Element) => {
    const style = getComputedStyle(one);
    const flow = sideways ? style.overflowX : style.overflowY;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = plain(one);
    const room = sideways ? scrollWidth - clientWidth : scrollHeight - clientHeight;
    if (one === document.scrollingElement) return room > 0 && flow !== 'hidden';
    return room > 0 && (flow === 'auto' || flow === 'scroll' || flow === 'overlay');
  };
  const parentOf = (one: Element): Element | null => {
    const { assignedSlot, parentNode, parentElement } = plain(one);
    if (assignedSlot) return assignedSlot;
    return parentNode instanceof ShadowRoot ? parentNode.host : parentElement;
  };
  const around = (from: Element | null): Element | null => {
    for (let one = from; one; one = parentOf(one)) if (scrolls(one)) return one;
    return null;
  };
  const middle = () => {
    const view = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
    const [x, y] = [view.clientWidth / 2, view.clientHeight / 2];
    let hit = document.elementFromPoint(x, y);
    for (let root = hit?.shadowRoot; root instanceof ShadowRoot; root = hit?.shadowRoot) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const scrolling = around(element) ?? (element === document.documentElement ? around(middle()) : null);
  if (!scrolling) return false;
  const found = plain(scrolling);
  const behavior = 'instant';
  if (to === null) found.scrollBy({ left: x, top: y, behavior });
  else if (to === 'top' || to === 'bottom') found.scrollTo({ top: to === 'top' ? 0 : found.scrollHeight, behavior });
  else found.scrollTo({ left: to === 'left' ? 0 : found.scrollWidth, behavior });
  return true;
});

/** Brings an element to the middle of what is in view. */
export const scrollIntoView = elementFunction((element: Element) =>
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }),
);
