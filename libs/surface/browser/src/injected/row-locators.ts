/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { plain } from '@pilothouse/surface-page-elements/page';
import { exactRole } from './exact-name.ts';
import { isLocatorRole, nthOfType, selectorOfRole, type LocatorSearch } from './locator-search.ts';

/** Returns locators of an element inside its list item. @param within locator of the item */
export function rowLocators(search: LocatorSearch, row: Element, within: Locator): Locator[] {
  if (row === search.element) return [within];
  const isUniqueInRow = (selector: string) => plain(row).querySelectorAll(selector).length === 1;
  const proposals = [
    roleInRow(search, row),
    testIdInRow(search.native, isUniqueInRow),
    pathInRow(search.element, row, isUniqueInRow),
  ];
  return proposals.flatMap((locator) => (locator ? [{ ...locator, within }] : []));
}

function roleInRow({ element, roles, names, isUsable }: LocatorSearch, row: Element): Locator | null {
  const role = roles.roleOf(element);
  if (!isLocatorRole(role)) return null;
  const sameRole = () =>
    [...plain(row).querySelectorAll(selectorOfRole(role))].filter((candidate) => roles.roleOf(candidate) === role);
  const name = names.nameOf(element, role);
  if (isUsable(name) && sameRole().filter((candidate) => names.nameOf(candidate, role) === name).length === 1)
    return exactRole(role, name, element);
  return sameRole().length === 1 ? { role } : null;
}

function testIdInRow(native: Element, isUniqueInRow: (selector: string) => boolean): Locator | null {
  const testId = native.getAttribute('data-testid') ?? '';
  return testId !== '' && isUniqueInRow(`[data-testid=${JSON.stringify(testId)}]`) ? { testId } : null;
}

/** Returns the shortest path from the element upwards that is unique in its item. */
function pathInRow(element: Element, row: Element, isUniqueInRow: (selector: string) => boolean): Locator | null {
  let path = '';
  for (let node: Element | null = element; node && node !== row; node = plain(node).parentElement) {
    const native: Element = plain(node);
    if (!native.parentElement) return null;
    const type = native.getAttribute('type');
    const css = `${native.localName}${type ? `[type=${JSON.stringify(type)}]` : ''}`;
    if (path === '' && isUniqueInRow(css)) return { css };
    path = path === '' ? nthOfType(node) : `${nthOfType(node)} > ${path}`;
    if (isUniqueInRow(path)) return { css: path };
  }
  return null;
}
