import { conditionTexts, type Condition } from '@pilothouse/contract/actions/condition.schema';
import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { APPLICATION_SCHEME } from '@pilothouse/core/origin/uri-origin';
import { wildcard } from '@pilothouse/core/regex/wildcard';
import { remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { PAGE_TIMEOUT_MS, uriOf, type DesktopScreen } from './desktop.screen.ts';
import { pollStep } from './poll-step.ts';
import { incompleteCauses, TruncationLimit } from './observation/incomplete-list.ts';
import { ScreenSnapshot } from './observation/screen-snapshot.ts';
import { textOfLine } from './screen/screen-text.ts';
import { describeScope, findScopedWindow } from './targeting/window-match.ts';

/** True if every part of the condition holds now. */
export async function checkCondition(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<boolean> {
  return (await unmetPart(screen, condition, context)) === null;
}

/** @throws PilothouseError CONDITION_NOT_MET with the part that does not hold */
export async function waitForCondition(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<void> {
  let unmet = null as UnmetPart | null;
  const truncation = new TruncationLimit(context);
  const isMet = await pollStep(async () => {
    // Some parts hold without a change of the screen.
    if (unmet?.waitsFor === 'change') await screen.pauseWhileUnchanged(context);
    unmet = await unmetPart(screen, condition, context);
    if (unmet === null) return true;
    return truncation.isReached(unmet.isUnproven && unmet.incomplete === 'truncated') ? false : undefined;
  }, context);
  if (!isMet)
    throw new PilothouseError(
      'CONDITION_NOT_MET',
      unmet ? messageOf(unmet) : 'The condition could not be checked in time; raise the timeout of the step',
    );
}

/** A part of a condition that does not hold. */
interface UnmetPart {
  /** Without the cause of an incomplete list. */
  readonly message: string;
  /** `change`: of the screen. `time`: for a rest of the screen, or for a read. */
  readonly waitsFor: 'change' | 'time';
  /** True if it may hold, but elements of the list are missing. */
  readonly isUnproven: boolean;
  readonly incomplete: IncompleteReason | null;
}

const messageOf = ({ message, incomplete }: UnmetPart): string =>
  incomplete === null ? message : `${message}: ${incompleteCauses[incomplete]}`;

/** Describes the first part that does not hold; null if all hold. */
async function unmetPart(screen: DesktopScreen, condition: Condition, context: Deadline): Promise<UnmetPart | null> {
  const { visible, enabled, hidden, count } = condition;
  const targets = [visible, enabled, hidden, count?.target].filter((target) => target !== undefined);
  const snapshot = new ScreenSnapshot(screen, context, conditionTexts(condition).length > 0 ? null : targets);
  const scopeMessage = (await unmetWindow(screen, condition, context)) ?? (await unmetPage(screen, condition, context));
  if (scopeMessage !== null) return { message: scopeMessage, waitsFor: 'change', isUnproven: false, incomplete: null };
  if (hidden && (await snapshot.findAll(hidden)).length > 0)
    return { message: `${describe(hidden)} is visible`, waitsFor: 'change', isUnproven: false, incomplete: null };
  const missing =
    (await unmetContent(screen, snapshot, condition, context)) ?? (await unmetElement(snapshot, condition));
  const { incomplete } = snapshot;
  const message = missing ?? (incomplete === null ? null : unprovenPart(condition));
  // After an incomplete read, time is missing rather than a change.
  if (message !== null)
    return { message, waitsFor: incomplete === null ? 'change' : 'time', isUnproven: missing === null, incomplete };
  if (condition.image && (await screen.findImage(condition.image, context)).length === 0)
    return { message: 'The image is not on the screen', waitsFor: 'change', isUnproven: false, incomplete: null };
  const rest = await unmetRest(screen, condition, context);
  return rest === null ? null : { message: rest, waitsFor: 'time', isUnproven: false, incomplete: null };
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

/** Document states that suffice for a load state. */
const readyStates = {
  domcontentloaded: ['interactive', 'complete'],
  load: ['complete'],
} as const;

/** Checks the address and the load state: those of a page, if the active window shows one. */
async function unmetPage(
  screen: DesktopScreen,
  { url, loadState }: Condition,
  context: Deadline,
): Promise<string | null> {
  if (url === undefined && loadState === undefined) return null;
  if (loadState === 'networkidle')
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      'A desktop does not know the network traffic of a page; use `loadState: load` and wait for a text',
    );
  const window = await screen.activeWindow(context);
  const page = window && (await screen.shownPage(window, context, Math.max(PAGE_TIMEOUT_MS, remainingMs(context) / 2)));
  // The title of a window can contain an address before its page loads, and a page that of a window.
  const isOfWindow = url?.startsWith(APPLICATION_SCHEME) ?? false;
  if (page === 'unresponsive' && (!isOfWindow || loadState !== undefined))
    return `The page of the window ${JSON.stringify(window?.title)} does not answer; raise the timeout of the step, or reload the page`;
  if (url !== undefined) {
    const matches = url.includes('*') ? wildcard(url) : (uri: string) => uri.includes(url);
    const isOfPage = !isOfWindow && page !== null && page !== 'unresponsive';
    const address = isOfPage ? page.url : uriOf(window);
    if (!matches(address)) return `The ${isOfPage ? 'page' : 'window'} is ${address}`;
  }
  if (loadState === undefined || page === 'unresponsive') return null;
  if (!page) return 'The active window shows no page of a Chromium that the run opened';
  const isReached = (readyStates[loadState] as readonly string[]).includes(page.readyState);
  return isReached ? null : `The page ${page.url} is still loading`;
}

async function unmetContent(
  screen: DesktopScreen,
  snapshot: ScreenSnapshot,
  condition: Condition,
  context: Deadline,
): Promise<string | null> {
  const { title } = condition;
  const wanted = conditionTexts(condition);
  if (title === undefined && wanted.length === 0) return null;
  const window = await screen.activeWindow(context);
  const windowTitle = window?.title ?? '';
  if (title !== undefined && !includes(windowTitle, title))
    return `The title of the window is ${JSON.stringify(windowTitle)}`;
  if (wanted.length === 0) return null;
  const { tree, elements } = await snapshot.read();
  const texts = [windowTitle, ...elements.flatMap(({ name, value = '' }) => [name, value])];
  const isShown = (text: string) => texts.some((shown) => includes(shown, text));
  if (!tree.isAccessible && !wanted.every(isShown)) texts.push(...(await snapshot.readText()).map(textOfLine));
  const missing = wanted.find((text) => !isShown(text));
  return missing === undefined
    ? null
    : `The window ${JSON.stringify(windowTitle)} does not show ${JSON.stringify(missing)}`;
}

async function unmetElement(snapshot: ScreenSnapshot, { visible, enabled, count }: Condition): Promise<string | null> {
  if (visible && (await snapshot.findAll(visible)).length === 0) return `${describe(visible)} is not visible`;
  if (enabled && !(await snapshot.findAll(enabled)).some(({ element }) => !element?.state.disabled))
    return `${describe(enabled)} is not enabled`;
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

/** Describes the part that an incomplete list leaves open. */
function unprovenPart({ hidden, count }: Condition): string | null {
  if (hidden) return `${describe(hidden)} may be visible`;
  return count ? `${describe(count.target)} may match more elements` : null;
}

async function unmetRest(screen: DesktopScreen, { stableMs }: Condition, context: Deadline): Promise<string | null> {
  if (stableMs === undefined) return null;
  const unchangedMs = await screen.unchangedMs(context);
  return unchangedMs >= stableMs ? null : `The screen changed ${Math.round(unchangedMs)} ms ago`;
}

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

const describe = (target: Target): string => describeLocator(toLocatorChain(target)[0] ?? {});
