/// <reference lib="dom" />
import { plain } from './native-properties.ts';

const SVG = 'http://www.w3.org/2000/svg';

export const isSvg = (element: Element): boolean => element.namespaceURI === SVG;

/** Collapses spaces. */
export const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Returns `aria-label`, or ''. */
export const ariaLabelOf = (element: Element): string => tidy(plain(element).getAttribute('aria-label') ?? '');

/** Returns the `<title>` of an SVG element, or ''. */
export const svgTitleOf = (element: Element): string => {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling)
    if (child.localName === 'title') return tidy(child.textContent ?? '');
  return '';
};
