import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { matchElements } from './element-match.ts';

/**
 * Returns locators that match only this element, most stable first. Names come before the role alone; a position among elements of the same
 * name is the last resort.
 */
export function locatorsOf(element: DesktopElement, elements: readonly DesktopElement[]): Locator[] {
  const { role, name, fallbackName } = element;
  const candidates: Locator[] = [
    ...(name === '' ? [] : [{ role, name, exact: true }]),
    ...(fallbackName === undefined ? [] : [{ label: fallbackName, exact: true }]),
    ...(name !== '' || fallbackName === undefined ? [] : [{ role, name: fallbackName, exact: true }]),
    ...(name === '' ? [] : [{ text: name, exact: true }]),
    { role },
  ];
  const locators = candidates.filter((locator) => {
    const matches = matchElements(elements, locator);
    return matches.length === 1 && matches[0] === element;
  });
  if (locators.length > 0) return locators;
  const knownName = name === '' ? fallbackName : name;
  const alike: Locator = knownName === undefined ? { role } : { role, name: knownName, exact: true };
  const nth = matchElements(elements, alike).indexOf(element);
  return nth < 0 ? [] : [{ ...alike, nth }];
}
