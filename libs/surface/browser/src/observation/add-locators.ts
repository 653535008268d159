import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { limitDeadline, remainingMs, poll } from '@pilothouse/core/time/deadlines';
import { withDeadline, type ActionContext } from '../action-context.ts';
import { isPageIdle } from '../pages/page-idle.ts';
import { findTarget } from '../targeting/locate-element.ts';
import { BrowserObserver } from '../browser.observation.ts';

const SETTLE_MS = 5_000;

/** Maximum time to find locators of all elements. */
const LOCATE_MS = 10_000;

/**
 * Observes a page for workflow authors: waits until it has settled and adds the unique locators of each element.
 * After 5 seconds the page is observed as it is. Interactive elements come first; after 10 seconds the remaining
 * elements get no locators.
 */
export async function observeWithLocators(ctx: ActionContext, level: ObservationLevel): Promise<Observation> {
  const settleDeadline = limitDeadline(ctx, SETTLE_MS);
  await poll(async () => ((await isIdleNow(ctx, settleDeadline)) ? true : undefined), settleDeadline);
  const { observation } = await BrowserObserver.forPage(ctx.page).observe({ level }, ctx);
  const locateContext = withDeadline(ctx, limitDeadline(ctx, LOCATE_MS).deadline);
  const locatorsByIndex = new Map<number, Locator[]>();
  const { elements } = observation;
  for (const { index } of [
    ...elements.filter(({ interactive }) => interactive),
    ...elements.filter(({ interactive }) => !interactive),
  ]) {
    if (remainingMs(locateContext) === 0) break;
    locatorsByIndex.set(index, await locatorsOf(locateContext, index));
  }
  return {
    ...observation,
    elements: elements.map((element) => withLocators(element, locatorsByIndex.get(element.index) ?? [])),
  };
}

const withLocators = (element: ElementView, locators: Locator[]): ElementView =>
  locators.length > 0 ? { ...element, locators } : element;

async function isIdleNow(ctx: ActionContext, deadline: Pick<ActionContext, 'signal' | 'deadline'>): Promise<boolean> {
  try {
    return await isPageIdle(ctx, deadline);
  } catch {
    // A document that is replaced meanwhile is not idle.
    ctx.signal.throwIfAborted();
    return false;
  }
}

/** Returns the unique locators of a listed element, the most stable first. */
async function locatorsOf(ctx: ActionContext, index: number): Promise<Locator[]> {
  const candidates = (await findUnique(ctx, { elementIndex: index }))?.located.alternatives ?? [];
  const locators: Locator[] = [];
  for (const locator of candidates) if (await findUnique(ctx, locator)) locators.push(locator);
  return locators;
}

/** Returns the single match of a locator; null if it matches none or several. */
async function findUnique(ctx: ActionContext, locator: Locator) {
  try {
    return await findTarget(ctx, locator, 'attached');
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) return null;
    throw error;
  }
}
