import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { hasSimilarName, isCompatibleRole } from '@pilothouse/core/agent/healing/element-similarity';
import {
  isPositionalLocator,
  type TargetDescription as WantedElement,
} from '@pilothouse/core/agent/healing/lost-element';
import { listChanged } from '@pilothouse/core/agent/page-queries';
import { runAction } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeStablePage } from '../../observation/page-observer.ts';
import { describeStepElement, type ElementDescription } from './candidates.ts';
import type { HealingContext } from './healing-scope.ts';

/** Milliseconds for a gateway request or a scroll, for finding an element, and for the page to become stable. */
const REQUEST_TIMEOUT_MS = 5_000;
const FIND_TIMEOUT_MS = 2_000;
const STABLE_MS = 100;

/** Maximum screens searched for a similar element, and the scroll distance as a fraction of a screen. */
const MAX_SCREENS = 8;
const SCROLL_FRACTION = 0.8;

/** Errors after which another healing method is tried. All others end the attempt. */
const recoverableErrors: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'STEP_TIMED_OUT',
  'ACTION_UNSUPPORTED',
]);

/** Returns if another healing method may be tried after the error. @throws the abort reason; any other error */
export function assertRecoverable(thrown: unknown, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (!recoverableErrors.has(toPilothouseError(thrown).code)) throw thrown;
}

/** Reads the locators of earlier runs, rendered. Empty if the gateway does not answer. @throws the abort reason */
export async function readRecordedLocators({ link, position, render, scope }: HealingContext): Promise<Locator[]> {
  const { signal, clock, log } = scope;
  const bounds = { signal, deadline: clock.monotonic() + REQUEST_TIMEOUT_MS };
  try {
    const { locators } = await link.request('locators.request', { path: position.path }, bounds);
    return locators.flatMap((locator) => render(locator) ?? []);
  } catch (thrown) {
    signal.throwIfAborted();
    log.warn({ error: String(thrown) }, 'locators of earlier runs unavailable');
    return [];
  }
}

/** The element of a locator, if it exists and may be the target. @throws the abort reason */
export async function findPlausibleElement(
  locator: Locator,
  wanted: WantedElement,
  scope: ActionScope,
): Promise<ElementDescription | null> {
  const { surface, clock, signal } = scope;
  const isVisible = await readSurface(clock.monotonic() + FIND_TIMEOUT_MS, scope, (context) =>
    surface.isMet({ visible: locator }, context),
  ).catch(() => false);
  signal.throwIfAborted();
  const element = isVisible ? await describeStepElement(locator, scope) : null;
  if (!element || (element.role !== '' && !isCompatibleRole(element.role, wanted))) return null;
  // A positional locator may find any other element.
  return isPositionalLocator(locator) && !hasSimilarName(element.name, wanted) ? null : element;
}

/** Observes the current view, then the page from top to bottom. */
export async function* observeScreens(scope: ActionScope): AsyncGenerator<Observation> {
  let page = await observeStablePage('view', STABLE_MS, scope);
  yield page;
  if (page.scroll.above > 0) {
    page = await scrollPage({ action: 'scroll', to: 'top' }, scope);
    yield page;
  }
  for (let count = 1; count < MAX_SCREENS && page.scroll.below > 0; count += 1) {
    const distance = Math.round(page.viewport.height * SCROLL_FRACTION);
    page = await scrollPage({ action: 'scroll', by: { x: 0, y: distance } }, scope);
    yield page;
  }
}

/** Scrolls and observes the page again. */
export async function scrollPage(action: Action, scope: ActionScope): Promise<Observation> {
  await runAction(action, REQUEST_TIMEOUT_MS, scope).catch((thrown: unknown) =>
    assertRecoverable(thrown, scope.signal),
  );
  return observeStablePage('view', STABLE_MS, scope);
}

/** True if the page changed since an observation, so that a point may be another target. */
export async function hasPageChanged(previous: Observation, scope: ActionScope): Promise<boolean> {
  const current = await observeStablePage('view', STABLE_MS, scope);
  return current.url !== previous.url || listChanged(previous, current);
}
