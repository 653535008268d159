import { readableText } from '@pilothouse/core/regex/lookalike-text';
import { pageFunction } from './evaluate-functions.ts';

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
export const mayContainText = pageFunction(
  (expected: string, _: undefined, tools): boolean => {
    const tidy = (text: string) => tools.readableText(text).replace(/\s+/g, ' ').trim().toLowerCase();
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
    return tidy(documentText).includes(tidy(expected));
  },
  { readableText },
) as (text: string) => boolean;

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
