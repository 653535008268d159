import { PilothouseError, type Locator } from '@pilothouse/contract';
import { compilePattern, describeLocator, PatternError, type LinearPattern } from '@pilothouse/core';
import type { Locator as PageLocator } from 'playwright-core';
import { accessibleNames } from '../injected/snapshot/accessible-names.script.ts';
import { ariaRoles } from '../injected/snapshot/aria-roles.script.ts';
import { domTree } from '../injected/snapshot/dom-tree.script.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

/** Most elements whose texts are matched, and characters of each that are. */
const MAX_CANDIDATES = 1000;
const MAX_CHARS = 1000;

/** Most steps of the pattern in one look: its size for each character. */
const MAX_STEPS = 20_000_000;

/** Accessible names or texts of the first elements. */
const textsOf = pageFunction(
  (elements: Element[], { isName, max, chars }: { isName: boolean; max: number; chars: number }, tools) => {
    const treeOf = tools.tree(tools.plain);
    const rolesOf = tools.roles(treeOf);
    const namesOf = tools.names(treeOf, rolesOf);
    const textOf = (element: Element) =>
      isName ? namesOf.nameOf(element, rolesOf.roleOf(element)) : tools.read(element).replace(/\s+/g, ' ');
    return { count: elements.length, texts: elements.slice(0, max).map((one) => textOf(one).trim().slice(0, chars)) };
  },
  { tree: domTree, roles: ariaRoles, names: accessibleNames },
);

/**
 * The elements whose name or text has a match for the pattern of a locator; null for none. Patterns are matched outside of the page, by
 * an engine that takes linear time.
 * @throws PilothouseError ACTION_UNSUPPORTED for a pattern that is not supported, or too many elements
 */
export async function matching(all: PageLocator, source: string, locator: Locator): Promise<PageLocator | null> {
  const pattern = compiled(source, locator);
  const wanted = { isName: locator.role !== undefined, max: MAX_CANDIDATES, chars: MAX_CHARS };
  const { count, texts } = await all.evaluateAll(textsOf, wanted);
  const steps = texts.reduce((sum, { length }) => sum + length, 0) * pattern.size;
  if (count > MAX_CANDIDATES || steps > MAX_STEPS) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `\`pattern\` of ${describeLocator(locator)} is compared with too much text in ${count} elements: add \`within\`, \`hasText\` or a narrower \`css\``,
    );
  }
  const indexes = texts.flatMap((text, index) => (pattern.test(text) ? [index] : []));
  const [first, ...others] = indexes.map((index) => all.nth(index));
  return others.reduce<PageLocator | null>((before, next) => before && before.or(next), first ?? null);
}

function compiled(source: string, locator: Locator): LinearPattern {
  try {
    return compilePattern(source);
  } catch (thrown) {
    if (thrown instanceof PatternError)
      throw new PilothouseError('ACTION_UNSUPPORTED', `\`pattern\` of ${describeLocator(locator)}: ${thrown.message}`);
    throw thrown;
  }
}
