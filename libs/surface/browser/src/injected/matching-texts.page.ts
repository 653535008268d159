/// <reference lib="dom" />
import { accessibleNames, ariaRoles, domTree } from '@pilothouse/surface-page-elements/page';
import { textOf } from './element-text.ts';

/** Selects the texts that a pattern is matched with. */
interface TextOptions {
  /** True for accessible names, false for texts. */
  readonly isName: boolean;
  /** Maximum number of elements, and characters of each text. */
  readonly max: number;
  readonly chars: number;
}

/** Returns the accessible names or texts of the first elements. */
export function matchingTexts(elements: Element[], { isName, max, chars }: TextOptions) {
  const roles = ariaRoles;
  const names = accessibleNames(domTree(), roles);
  const nameOrTextOf = (element: Element) =>
    isName ? names.nameOf(element, roles.roleOf(element)) : textOf(element).replace(/\s+/g, ' ');
  return {
    count: elements.length,
    texts: elements.slice(0, max).map((element) => nameOrTextOf(element).trim().slice(0, chars)),
  };
}
