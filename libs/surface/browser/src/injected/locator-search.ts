/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { accessibleNames, ariaRoles, domTree, plain } from '@pilothouse/surface-page-elements/page';

const MAX_TEXT_CHARS = 80;

/** Times from the start within which a search may begin. On a large page each search takes longer. */
export const TEXT_SEARCH_MS = 40;
export const ATTRIBUTE_SEARCH_MS = 250;

/** Native elements with a role that locators support. */
const ROLE_SELECTORS: Readonly<Record<string, string>> = {
  button:
    'button, summary, input[type=button], input[type=submit], input[type=reset], input[type=image], input[type=file]',
  link: 'a[href], area[href]',
  checkbox: 'input[type=checkbox]',
  radio: 'input[type=radio]',
  slider: 'input[type=range]',
  spinbutton: 'input[type=number]',
  searchbox: 'input[type=search]',
  textbox: 'input, textarea',
  combobox: 'select, input[list]',
  listbox: 'select',
  option: 'option',
  heading: 'h1, h2, h3, h4, h5, h6',
};
const ARIA_ROLES = new Set('switch tab menuitem menuitemcheckbox menuitemradio treeitem'.split(' '));

/** True if locators support a role. */
export const isLocatorRole = (role: string): boolean => role in ROLE_SELECTORS || ARIA_ROLES.has(role);

/** Returns a selector of all elements that may have a role. */
export const selectorOfRole = (role: string): string => {
  const native = ROLE_SELECTORS[role];
  return `${native ? `${native}, ` : ''}[role~="${role}"]`;
};

/** True if a generator made this id: ids with counters or hashes change on the next visit. */
export const isGeneratedId = (id: string): boolean => /\d{3,}|[:«»]|^[0-9a-f-]{8,}$/i.test(id);

export const textContentOf = (element: Element): string => plain(element).textContent ?? '';

/** Returns the tag of an element and its position among siblings with the same tag. */
export const nthOfType = (element: Element): string => {
  const { localName, parentNode } = plain(element);
  const children = parentNode ? [...plain(parentNode).children] : [];
  const siblings = children.filter((sibling) => plain(sibling).localName === localName);
  return siblings.length > 1 ? `${localName}:nth-of-type(${siblings.indexOf(element) + 1})` : localName;
};

/** Locators reach into open shadow roots. */
const searchRoots = (ownerDocument: Document): (Document | ShadowRoot)[] => {
  const roots: (Document | ShadowRoot)[] = [ownerDocument];
  for (const root of roots)
    for (const { shadowRoot } of root.querySelectorAll('*'))
      if (shadowRoot instanceof ShadowRoot) roots.push(shadowRoot);
  return roots;
};

/**
 * Searches the document of an element for other matches of a locator.
 * @param found locators found so far. Until there is one, each search may begin within `ATTRIBUTE_SEARCH_MS`
 */
export function locatorSearch(element: Element, found: readonly Locator[]) {
  const startedAt = performance.now();
  const roles = ariaRoles;
  const names = accessibleNames(domTree(), roles);
  const native = plain(element);
  const roots = searchRoots(native.ownerDocument);
  const hasTime = (ms: number) => performance.now() < startedAt + (found.length === 0 ? ATTRIBUTE_SEARCH_MS : ms);
  return {
    element,
    native,
    roles,
    names,
    roots,
    hasTime,
    hasLocator: () => found.length > 0,
    queryAll: (selector: string) => roots.flatMap((root) => [...root.querySelectorAll(selector)]),
    isUnique: (matches: readonly Element[]) => matches.length === 1 && matches[0] === element,
    /** True if a text can identify the element and there is time to search for it. */
    isUsable: (text: string, ms = TEXT_SEARCH_MS) => text !== '' && text.length <= MAX_TEXT_CHARS && hasTime(ms),
  };
}

export type LocatorSearch = ReturnType<typeof locatorSearch>;
