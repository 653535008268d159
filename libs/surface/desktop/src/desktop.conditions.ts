import { conditionTexts, type Condition } from '@pilothouse/contract/actions/condition.schema';
import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { wildcard } from '@pilothouse/core/regex/wildcard';
import { poll, type Deadline } from '@pilothouse/core/time/deadlines';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { uriOf, type DesktopScreen } from './desktop.screen.ts';
import { ScreenSnapshot } from './observation/screen-snapshot.ts';
import { textOfLine } from './screen/screen-text.ts';
import { describeScope, findScopedWindow } from './targeting/window-match.ts';

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
  if (!isMet) throw new PilothouseError('CONDITION_NOT_MET', unmet ?? 'The condition is not met');
}

/** Describes the first part that does not hold; null if all hold. */
async function unmetPart(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<string | null> {
  const snapshot = new ScreenSnapshot(screen, context);
  return (
    (await unmetWindow(screen, condition, context)) ??
    (await unmetContent(snapshot, condition)) ??
    (await unmetElement(snapshot, condition)) ??
    (await unmetRest(screen, condition, context))
  );
}

async function unmetWindow(
  screen: DesktopScreen,
  { app, window }: Condition,
  context: Deadline,
): Promise<string | null> {
  if (app === undefined && window === undefined) return null;
  const scope = { app, window };
  return findScopedWindow(await screen.windows(context), scope) ? null : `No window ${describeScope(scope)} is open`;
}

async function unmetContent(snapshot: ScreenSnapshot, condition: Condition): Promise<string | null> {
  const { url, title } = condition;
  const wanted = conditionTexts(condition);
  if (url === undefined && title === undefined && wanted.length === 0) return null;
  const { tree, elements } = await snapshot.read();
  const uri = uriOf(tree.window);
  const windowTitle = tree.window?.title ?? '';
  if (url !== undefined && !(url.includes('*') ? wildcard(url)(uri) : uri.includes(url))) return `The window is ${uri}`;
  if (title !== undefined && !includes(windowTitle, title))
    return `The title of the window is ${JSON.stringify(windowTitle)}`;
  const texts = [windowTitle, ...elements.flatMap(({ name, value = '' }) => [name, value])];
  const isShown = (text: string) => texts.some((shown) => includes(shown, text));
  if (!tree.isAccessible && !wanted.every(isShown)) texts.push(...(await snapshot.readText()).map(textOfLine));
  const missing = wanted.find((text) => !isShown(text));
  return missing === undefined
    ? null
    : `The window ${JSON.stringify(windowTitle)} does not show ${JSON.stringify(missing)}`;
}

async function unmetElement(
  snapshot: ScreenSnapshot,
  { visible, enabled, hidden, count }: Condition,
): Promise<string | null> {
  if (visible && (await snapshot.findAll(visible)).length === 0) return `${describe(visible)} is not visible`;
  if (enabled && !(await snapshot.findAll(enabled)).some(({ element }) => !element?.state.disabled))
    return `${describe(enabled)} is not enabled`;
  if (hidden && (await snapshot.findAll(hidden)).length > 0) return `${describe(hidden)} is visible`;
  if (count) {
    const actual = (await snapshot.findAll(count.target)).length;
    const isMet =
      count.equals === undefined
        ? actual >= (count.min ?? 0) && actual <= (count.max ?? Infinity)
        : actual === count.equals;
    if (!isMet) return `${describe(count.target)} matches ${actual} elements`;
  }
  return null;
}

async function unmetRest(
  screen: DesktopScreen,
  { stableMs, image }: Condition,
  context: Deadline,
): Promise<string | null> {
  if (image && (await screen.findImage(image, context)).length === 0) return 'The image is not on the screen';
  if (stableMs === undefined) return null;
  const unchangedMs = await screen.unchangedMs(context);
  return unchangedMs >= stableMs ? null : `The screen changed ${Math.round(unchangedMs)} ms ago`;
}

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

const describe = (target: Target): string => describeLocator(toLocatorChain(target)[0] ?? {});
