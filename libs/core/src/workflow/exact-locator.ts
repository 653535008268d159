import type { Locator } from '@pilothouse/contract/actions/locator.schema';

/**
 * Makes a locator match the whole name or text of its element, because it was read from there. Without `exact`, “Approve” also matches
 * “Approve all”. Every locator that is compiled, imported, recorded or proposed passes here. A choice among several matches (`nth`) stays
 * as it is.
 */
export function exactLocator(locator: Locator): Locator {
  const { name, label, placeholder, text, exact, nth, within, near, has } = locator;
  const hasText = [name, label, placeholder, text].some((value) => value !== undefined);
  return {
    ...locator,
    ...(hasText && exact === undefined && nth === undefined && { exact: true }),
    ...(within && { within: exactLocator(within) }),
    ...(near && { near: exactLocator(near) }),
    ...(has && { has: exactLocator(has) }),
  };
}
