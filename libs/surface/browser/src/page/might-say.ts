import { pageFunction } from './in-page.ts';

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
