/// <reference lib="dom" />
import { plain } from './native-properties.ts';

const MAX_FALLBACK_CHARS = 40;
/** Attributes with technical names, the most specific first. */
const NAME_ATTRIBUTES = ['data-testid', 'data-test', 'data-icon', 'data-action', 'name', 'id', 'class'] as const;

/** Returns the technical name in an attribute. Of several classes, it has the first three. */
export const technicalNameIn = (attributeOf: (name: string) => string | null): string => {
  for (const attribute of NAME_ATTRIBUTES) {
    const value = attributeOf(attribute)?.trim();
    if (value) return attribute === 'class' ? value.split(/\s+/).slice(0, 3).join('.') : value;
  }
  return '';
};

/** Returns the file name in the address of an image. */
export const fileNameIn = (address: string | null | undefined): string | undefined =>
  address?.split(/[?#]/)[0]?.split('/').at(-1);

const technicalNameOf = (element: Element): string =>
  technicalNameIn((attribute) => plain(element).getAttribute(attribute));

/** Returns the name of the symbol, image or first child inside an element. */
const innerNameOf = (native: Element): string => {
  const child = native.firstElementChild;
  if (!child) return '';
  const use = native.querySelector('use');
  const symbol = use?.getAttribute('href') ?? use?.getAttribute('xlink:href');
  return symbol || fileNameIn(native.querySelector('img')?.getAttribute('src')) || technicalNameOf(child);
};

/** Returns a technical name of an element without an accessible name: test id, id, class, symbol, or link target. */
export function fallbackNameOf(element: Element): string {
  const native = plain(element);
  const address = native.localName === 'a' ? native.getAttribute('href') : null;
  const name = technicalNameOf(element) || innerNameOf(native) || address || '';
  return name.length > MAX_FALLBACK_CHARS ? `${name.slice(0, MAX_FALLBACK_CHARS - 1)}…` : name;
}
