/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { plain } from '@pilothouse/surface-page-elements/page';
import { changingNamePattern, exactRole } from './exact-name.ts';
import {
  ATTRIBUTE_SEARCH_MS,
  isGeneratedId,
  isLocatorRole,
  nthOfType,
  selectorOfRole,
  TEXT_SEARCH_MS,
  textContentOf,
  type LocatorSearch,
} from './locator-search.ts';

/** One way to locate an element. */
export interface LocatorStrategy {
  readonly name: string;
  /** Returns a locator that matches only the element of the search; null if there is none. */
  propose(search: LocatorSearch): Locator | null;
}

/** Maximum number of elements whose names are compared. */
const MAX_NAMED_ELEMENTS = 500;
/** Maximum number of ancestors in a path. */
const MAX_PATH_DEPTH = 20;

function proposeRole(search: LocatorSearch): Locator | null {
  const { roles, names, isUnique, isUsable } = search;
  const role = roles.roleOf(search.element);
  const name = names.nameOf(search.element, role);
  if (!isUsable(name)) return null;
  const sameRole = elementsOfRole(role, search);
  return isUnique(sameRole.filter((candidate) => names.nameOf(candidate, role) === name))
    ? exactRole(role, name, search.native)
    : null;
}

/** A name with a counter, a price, a date or a time: the same name with other digits. */
function proposeChangingName(search: LocatorSearch): Locator | null {
  const { roles, names, isUnique, isUsable } = search;
  const role = roles.roleOf(search.element);
  const name = names.nameOf(search.element, role);
  const pattern = changingNamePattern(name);
  if (pattern === null || !isUsable(name, ATTRIBUTE_SEARCH_MS)) return null;
  // A name without its counter matches, too.
  const isSameName = (text: string) => [text, `${text} (1)`].some((form) => changingNamePattern(form) === pattern);
  const sameRole = elementsOfRole(role, search);
  return isUnique(sameRole.filter((candidate) => isSameName(names.nameOf(candidate, role)))) ? { role, pattern } : null;
}

/** Returns the elements of a role; empty if locators do not support it, or if there are too many to compare. */
function elementsOfRole(role: string, { roles, queryAll }: LocatorSearch): Element[] {
  if (!isLocatorRole(role)) return [];
  const sameRole = queryAll(selectorOfRole(role)).filter((candidate) => roles.roleOf(candidate) === role);
  return sameRole.length > MAX_NAMED_ELEMENTS ? [] : sameRole;
}

function proposeLabel({ element, native, names, queryAll, isUnique, isUsable }: LocatorSearch): Locator | null {
  const { labels } = native as HTMLInputElement;
  if (!labels?.length && native.getAttribute('aria-label') === null) return null;
  const label = names.nameOf(element, 'textbox');
  if (!isUsable(label)) return null;
  const labelled = new Set<Element>();
  for (const labelElement of queryAll('label')) {
    const { control } = labelElement as HTMLLabelElement;
    if (control && names.tidy(textContentOf(labelElement)) === label) labelled.add(control);
  }
  for (const candidate of queryAll('[aria-label], [aria-labelledby]'))
    if (names.nameOf(candidate, '') === label) labelled.add(candidate);
  return isUnique([...labelled]) ? { label, exact: true } : null;
}

function proposeTestId({ native, names, queryAll, isUnique, isUsable }: LocatorSearch) {
  const testId = names.tidy(native.getAttribute('data-testid') ?? '');
  if (!isUsable(testId, ATTRIBUTE_SEARCH_MS)) return null;
  const matches = queryAll('[data-testid]').filter(
    (candidate) => plain(candidate).getAttribute('data-testid') === testId,
  );
  return isUnique(matches) ? { testId } : null;
}

function proposeId({ native: { id }, queryAll, isUnique, isUsable }: LocatorSearch) {
  if (!isUsable(id, ATTRIBUTE_SEARCH_MS) || isGeneratedId(id)) return null;
  const css = `#${CSS.escape(id)}`;
  return isUnique(queryAll(css)) ? { css } : null;
}

function proposePlaceholder({ native, names, queryAll, isUnique, isUsable }: LocatorSearch): Locator | null {
  const placeholder = native.getAttribute('placeholder') ?? '';
  // An exact locator compares the attribute with its spaces.
  if (names.tidy(placeholder) !== placeholder || !isUsable(placeholder, ATTRIBUTE_SEARCH_MS)) return null;
  const matches = queryAll('[placeholder]').filter(
    (candidate) => plain(candidate).getAttribute('placeholder') === placeholder,
  );
  return isUnique(matches) ? { placeholder, exact: true } : null;
}

const NO_TEXT_TAGS = new Set(['input', 'textarea', 'select', 'body', 'html']);
const UNREAD_TAGS = new Set(['script', 'style', 'noscript', 'template']);

function proposeText(search: LocatorSearch): Locator | null {
  const { element, native, names, roots, isUnique, isUsable } = search;
  const text = names.tidy(textContentOf(element));
  if (!isUsable(text) || NO_TEXT_TAGS.has(native.localName)) return null;
  const deepest: Element[] = [];
  for (const root of roots)
    collectDeepest(root.nodeType === 9 ? (root as Document).body : (root as ShadowRoot), text, search, deepest);
  return isUnique(deepest) ? { text, exact: true } : null;
}

/** Collects the deepest elements with a text, up to two. @returns true if an element inside has it */
function collectDeepest(
  container: Element | ShadowRoot,
  text: string,
  search: LocatorSearch,
  deepest: Element[],
): boolean {
  let hasMatch = false;
  for (const child of plain(container).children) {
    if (deepest.length > 1 || UNREAD_TAGS.has(plain(child).localName)) continue;
    const childText = search.names.tidy(textContentOf(child));
    if (!childText.includes(text)) {
      const { value } = child as Partial<HTMLInputElement>;
      if (child.localName === 'input' && search.names.tidy(value ?? '') === text) deepest.push(child);
      continue;
    }
    const isMatchInside = collectDeepest(child, text, search, deepest);
    if (!isMatchInside && childText === text) deepest.push(child);
    hasMatch ||= isMatchInside || childText === text;
  }
  return hasMatch;
}

/** A checkbox in a table header applies to all rows, so its locator names the header. */
function proposeTableHeader({ element, native, roles, queryAll }: LocatorSearch): Locator | null {
  const isHeaderCheckbox = native.closest('thead') !== null && roles.roleOf(element) === 'checkbox';
  if (!isHeaderCheckbox || queryAll('thead input[type=checkbox]').length !== 1) return null;
  return { role: 'checkbox', within: { css: 'thead' } };
}

/** Returns the tag of an element with its name or type. */
const tagWithAttribute = (element: Element): string => {
  const native = plain(element);
  for (const attribute of ['name', 'type']) {
    const value = native.getAttribute(attribute);
    if (value) return `${native.localName}[${attribute}=${JSON.stringify(value)}]`;
  }
  return native.localName;
};

function proposePath({ element, native, queryAll, isUnique, hasTime, hasLocator }: LocatorSearch) {
  const ownSelector = tagWithAttribute(element);
  if (ownSelector !== native.localName && isUnique(queryAll(ownSelector))) return { css: ownSelector };
  let css = nthOfType(element);
  let ancestor = native.parentElement;
  for (let depth = 0; ancestor && depth < MAX_PATH_DEPTH; depth += 1) {
    const { id } = plain(ancestor);
    const isNamed = id !== '' && !isGeneratedId(id);
    css = `${isNamed ? `#${CSS.escape(id)}` : nthOfType(ancestor)} > ${css}`;
    if (!hasTime(TEXT_SEARCH_MS) && hasLocator()) return null;
    if ((isNamed || depth > 1) && isUnique(queryAll(css))) return { css };
    ancestor = plain(ancestor).parentElement;
  }
  return null;
}

/** The most stable first. */
export const strategies: readonly LocatorStrategy[] = [
  { name: 'role', propose: proposeRole },
  { name: 'label', propose: proposeLabel },
  { name: 'test id', propose: proposeTestId },
  { name: 'id', propose: proposeId },
  { name: 'placeholder', propose: proposePlaceholder },
  { name: 'text', propose: proposeText },
  { name: 'changing name', propose: proposeChangingName },
  { name: 'table header', propose: proposeTableHeader },
];

/** Used if no strategy identifies the list item of the element. */
export const pathStrategy: LocatorStrategy = { name: 'path', propose: proposePath };
