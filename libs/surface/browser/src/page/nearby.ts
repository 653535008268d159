import { pageFunction } from './in-page.ts';

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
