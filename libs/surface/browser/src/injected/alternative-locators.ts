/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { rowOf, type Row } from './list-row.ts';
import { locatorSearch, type LocatorSearch } from './locator-search.ts';
import { pathStrategy, strategies, type LocatorStrategy } from './locator-strategies.ts';
import { rowLocators } from './row-locators.ts';

/**
 * Returns locators that match only this element of its document, the most stable first. Names are exact, because a part
 * of a name also finds its opposite (“Approve”, “Disapprove”). It runs with another check of
 * the element. Searches for texts start within 40 ms, the others and the first locator within 250 ms. Hidden matches
 * count, so a valid locator may be missing, but no invalid one is returned. For an element in a list item, the item is
 * identified by its key (`within`). The position (`nth`) comes last and is used only if nothing identifies the item.
 */
export function alternativeLocators(element: Element): Locator[] {
  const locators: Locator[] = [];
  const search = locatorSearch(element, locators);
  for (const strategy of strategies) propose(strategy, search, locators);
  const item = rowOf(element);
  if (item) addRowLocators(item, search, locators);
  else propose(pathStrategy, search, locators);
  return locators;
}

function propose(strategy: LocatorStrategy, search: LocatorSearch, locators: Locator[]): void {
  const locator = strategy.propose(search);
  if (locator) locators.push(locator);
}

/** Keeps the locators that identify the list item, and adds those inside of the item. */
function addRowLocators(item: Row, search: LocatorSearch, locators: Locator[]): void {
  const itemLocators = locators.splice(0).filter((locator) => identifiesItem(locator, item.keys));
  if (item.locator) locators.push(...rowLocators(search, item.row, item.locator));
  locators.push(...itemLocators);
  if (item.locator) propose(pathStrategy, search, locators);
  else if (itemLocators.length === 0) locators.push(...rowLocators(search, item.row, item.position));
}

/**
 * True if a locator identifies the list item by one of its keys. Another item may have a name with the same prefix, or
 * the same button. Only an exact name that contains the key identifies this item.
 */
export function identifiesItem({ css, name, label, placeholder, text }: Locator, keys: readonly string[]): boolean {
  const nameMatches = name ?? label ?? placeholder ?? text;
  return css !== undefined || (nameMatches !== undefined && keys.some((key) => nameMatches.includes(key)));
}
