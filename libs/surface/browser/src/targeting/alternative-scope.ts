import { locatorKinds, type Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ElementHandle, Frame } from 'playwright-core';
import { checkActionability } from '../injected/actionability.ts';
import { fromHandle } from '../pages/element-ref.ts';
import type { LocatedTarget } from './located-target.ts';

/**
 * Selects the alternative locators of a match: without the one that found it, and within its frame.
 * @param scope locator of its frame, null for the page itself; undefined to omit all alternatives
 */
export function withAlternatives(
  match: LocatedTarget,
  locator: Locator,
  scope: Locator | null | undefined,
): LocatedTarget {
  const { alternatives: candidates = [], ...located } = match.located;
  if (scope === undefined) return { ...match, located };
  const isUsed = (alternative: Locator) =>
    locator.css !== undefined
      ? alternative.css === locator.css
      : locatorKinds.some((kind) => kind in alternative && kind in locator);
  const scopedLocators = candidates
    .filter((alternative) => !isUsed(alternative))
    .map((alternative) => scopedTo(alternative, scope));
  return { ...match, located: scopedLocators.length > 0 ? { ...located, alternatives: scopedLocators } : located };
}

/** Nests a locator in another one. @param scope null: none */
export const scopedTo = (locator: Locator, scope: Locator | null): Locator =>
  scope === null ? locator : { ...locator, within: locator.within ? scopedTo(locator.within, scope) : scope };

/** Returns a locator of a frame element including its parent frames; undefined if it does not exist. */
export async function frameScope(frame: Frame): Promise<Locator | undefined> {
  try {
    const parent = frame.parentFrame();
    if (!parent) return undefined;
    const element = (await frame.frameElement()) as ElementHandle<Element>;
    const { alternatives } = await fromHandle(element).evaluateAll(checkActionability, { state: 'attached' });
    await element.dispose();
    const [frameLocator] = alternatives;
    if (!frameLocator || !parent.parentFrame()) return frameLocator;
    const parentScope = await frameScope(parent);
    return parentScope && scopedTo(frameLocator, parentScope);
  } catch {
    // The frame was removed meanwhile.
    return undefined;
  }
}
