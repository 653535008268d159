import {
  PilothouseError,
  type ElementView,
  type Locator,
  type Observation,
  type ObservationLevel,
} from '@pilothouse/contract';
import { limitDeadline, remainingMs, poll } from '@pilothouse/core';
import { withDeadline, type ActionContext } from '../action-context.ts';
import { rests } from '../pages/page-idle.ts';
import { findTarget } from '../targeting/locate-element.ts';
import { BrowserObserver } from '../browser.observation.ts';

/** Maximum milliseconds to wait until nothing is about to change the page. */
const SETTLE_MS = 5_000;

/** Maximum milliseconds to look for locators of all elements. */
const LOCATE_MS = 10_000;

/**
 * Observes a page for an author of workflows: waits until the page is settled, and adds to each element the locators that match it
 * and no other element. A page that does not settle in 5 seconds is observed as it is. Elements that take input come first; after 10
 * seconds the remaining elements get no locators.
 */
export async function observeWithLocators(hand: ActionContext, level: ObservationLevel): Promise<Observation> {
  const settling = limitDeadline(hand, SETTLE_MS);
  await poll(async () => ((await isAtRest(hand, settling)) ? true : undefined), settling);
  const { observation } = await BrowserObserver.of(hand.page).observe({ level }, hand);
  const locating = withDeadline(hand, limitDeadline(hand, LOCATE_MS).deadline);
  const found = new Map<number, Locator[]>();
  const { elements } = observation;
  for (const { index } of [
    ...elements.filter(({ interactive }) => interactive),
    ...elements.filter(({ interactive }) => !interactive),
  ]) {
    if (remainingMs(locating) === 0) break;
    found.set(index, await locatorsOf(locating, index));
  }
  return { ...observation, elements: elements.map((element) => withThem(element, found.get(element.index) ?? [])) };
}

const withThem = (element: ElementView, locators: Locator[]): ElementView =>
  locators.length > 0 ? { ...element, locators } : element;

async function isAtRest(hand: ActionContext, bound: Pick<ActionContext, 'signal' | 'deadline'>): Promise<boolean> {
  try {
    return await rests(hand, bound);
  } catch {
    // A document that goes away while it is asked is not at rest.
    hand.signal.throwIfAborted();
    return false;
  }
}

/** Locators of a listed element that find it, the most stable first. */
async function locatorsOf(hand: ActionContext, index: number): Promise<Locator[]> {
  const others = (await locatedNow(hand, { elementIndex: index }))?.located.alternatives ?? [];
  const locators: Locator[] = [];
  for (const locator of others) if (await locatedNow(hand, locator)) locators.push(locator);
  return locators;
}

/** The one element that a locator matches now; null: it matches none, or several. */
async function locatedNow(hand: ActionContext, locator: Locator) {
  try {
    return await findTarget(hand, locator, 'attached');
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) return null;
    throw thrown;
  }
}
