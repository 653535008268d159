import { conditionTexts, PilothouseError, toLocatorChain, type Condition, type Target } from '@pilothouse/contract';
import { poll, wildcard, type Deadline } from '@pilothouse/core';
import type { DesktopElement } from './accessibility/element-list.ts';
import { uriOf, type DesktopScreen } from './desktop-screen.ts';
import { describeLocator, matchElements } from './element-match.ts';

/** True if every part of the condition holds now. */
export async function checkCondition(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<boolean> {
  return (await unmetPart(screen, condition, context)) === null;
}

/** @throws PilothouseError CONDITION_NOT_MET with the part that does not hold */
export async function waitForCondition(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<void> {
  let unmet: string | null = null;
  const isMet = await poll(async () => {
    unmet = await unmetPart(screen, condition, context);
    return unmet === null ? true : undefined;
  }, context);
  if (!isMet) throw new PilothouseError('CONDITION_NOT_MET', unmet ?? 'The condition does not hold');
}

/** Describes the first part that does not hold; null if all hold. */
async function unmetPart(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<string | null> {
  const { tree, elements } = await screen.read(context);
  const { url, title, visible, enabled, hidden, count } = condition;
  const uri = uriOf(tree.window);
  const windowTitle = tree.window?.title ?? '';
  if (url !== undefined && !(url.includes('*') ? wildcard(url)(uri) : uri.includes(url))) return `The window is ${uri}`;
  if (title !== undefined && !includes(windowTitle, title))
    return `The title of the window is ${JSON.stringify(windowTitle)}`;
  const texts = [windowTitle, ...elements.flatMap(({ name, value = '' }) => [name, value])];
  const missing = conditionTexts(condition).find((text) => !texts.some((shown) => includes(shown, text)));
  if (missing !== undefined) return `The window does not show ${JSON.stringify(missing)}`;
  if (visible && matches(elements, visible).length === 0) return `${describe(visible)} is not visible`;
  if (enabled && !matches(elements, enabled).some(({ state }) => !state.disabled))
    return `${describe(enabled)} is not enabled`;
  if (hidden && matches(elements, hidden).length > 0) return `${describe(hidden)} is visible`;
  if (count) {
    const actual = matches(elements, count.target).length;
    const isMet =
      count.equals === undefined
        ? actual >= (count.min ?? 0) && actual <= (count.max ?? Infinity)
        : actual === count.equals;
    if (!isMet) return `${describe(count.target)} matches ${actual} elements`;
  }
  return null;
}

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

const matches = (elements: readonly DesktopElement[], target: Target): DesktopElement[] =>
  toLocatorChain(target)
    .map((locator) => matchElements(elements, locator))
    .find((found) => found.length > 0) ?? [];

const describe = (target: Target): string => describeLocator(toLocatorChain(target)[0] ?? {});
