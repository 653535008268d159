import { elementFunction, pageFunction } from './evaluate-functions.ts';

/** Returns the names of visible elements, for the report about a locator without a match. */
export const visibleNames = pageFunction((elements: Element[], kind: string, tools): string[] => {
  const nameOf = (element: Element) => {
    if (kind.startsWith('[')) return element.getAttribute(kind.slice(1, -1)) ?? '';
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

/** Returns the beginning of the text of the page. */
export const bodyText = pageFunction((body: Element, max: number): string =>
  (body instanceof HTMLElement ? body.innerText : (body.textContent ?? '')).replace(/\s+/g, ' ').trim().slice(0, max),
);

/**
 * True if a document may contain an element with a text as Playwright's `getByText` matches it. Ignores case and runs
 * of white space, and looks into open shadow roots. A text that the whole document lacks is in no element. This check
 * saves loading Playwright's own code, about 3 MB per document (bench/ANALYSIS.md).
 */
export const mayContainText = pageFunction((text: string, _: undefined): boolean => {
  const tidy = (text: string) =>
    text
      .replace(/[\u200b\u00ad]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const skippedTags = new Set(['SCRIPT', 'NOSCRIPT', 'STYLE', 'HEAD']);
  let documentText = '';
  const collectText = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) documentText += node.nodeValue ?? '';
    else if (node instanceof HTMLInputElement && ['submit', 'button'].includes(node.type)) documentText += node.value;
    else if (!skippedTags.has(node.nodeName.toUpperCase())) {
      for (let child = node.firstChild; child; child = child.nextSibling) collectText(child);
      if (node instanceof Element && node.shadowRoot) collectText(node.shadowRoot);
    }
  };
  collectText(document);
  return tidy(documentText).includes(tidy(text));
}) as (text: string) => boolean;

/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Returns the texts of scripts that match a CSS selector, and lists other scripts with data. Runs in the page. */
export const scriptTexts = (css: string): { texts: string[]; otherScripts: string[]; problem: string } => {
  try {
    const texts = [...document.querySelectorAll(css)].map((script) => script.textContent ?? '');
    const dataScripts = [...document.querySelectorAll('script[type*=json i], script[id]')]
      .map((script) => (script.id ? `#${script.id}` : `script[type="${script.getAttribute('type') ?? ''}"]`))
      .slice(0, 20);
    return { texts, otherScripts: dataScripts, problem: '' };
  } catch {
    return { texts: [], otherScripts: [], problem: `${css} is no CSS selector` };
  }
};

/** Distance or end to scroll to. */
export interface ScrollDistance {
  readonly x: number;
  readonly y: number;
  readonly edge: 'top' | 'bottom' | 'left' | 'right' | null;
}

/**
 * Scrolls the element itself, otherwise its nearest ancestor that can scroll that way, finally the page. If the page
 * cannot scroll, scrolls the container at its center.
 * @returns false if nothing can scroll that way
 */
export const scrollContainer = elementFunction(
  (element: Element, { x, y, edge }: ScrollDistance, { plain }): boolean => {
    const isHorizontal = edge === null ? Math.abs(x) > Math.abs(y) : edge === 'left' || edge === 'right';
    const scrolls = (candidate: Element) => {
      const style = getComputedStyle(candidate);
      const flow = isHorizontal ? style.overflowX : style.overflowY;
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = plain(candidate);
      const overflow = isHorizontal ? scrollWidth - clientWidth : scrollHeight - clientHeight;
      if (candidate === document.scrollingElement) return overflow > 0 && flow !== 'hidden';
      return overflow > 0 && (flow === 'auto' || flow === 'scroll' || flow === 'overlay');
    };
    const parentOf = (node: Element): Element | null => {
      const { assignedSlot, parentNode, parentElement } = plain(node);
      if (assignedSlot) return assignedSlot;
      return parentNode instanceof ShadowRoot ? parentNode.host : parentElement;
    };
    const nearestScrollable = (start: Element | null): Element | null => {
      for (let node = start; node; node = parentOf(node)) if (scrolls(node)) return node;
      return null;
    };
    const centerElement = () => {
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
    const scrollable =
      nearestScrollable(element) ?? (element === document.documentElement ? nearestScrollable(centerElement()) : null);
    if (!scrollable) return false;
    const container = plain(scrollable);
    const behavior = 'instant';
    if (edge === null) container.scrollBy({ left: x, top: y, behavior });
    else if (edge === 'top' || edge === 'bottom')
      container.scrollTo({ top: edge === 'top' ? 0 : container.scrollHeight, behavior });
    else container.scrollTo({ left: edge === 'left' ? 0 : container.scrollWidth, behavior });
    return true;
  },
);

/** Scrolls an element to the center of the viewport. */
export const scrollIntoView = elementFunction((element: Element) =>
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }),
);
