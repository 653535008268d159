import { remainingMs, withTimeout } from '@pilothouse/core/time/deadlines';
import type { Timers } from '@pilothouse/core/time/timers';
import type { PageWindowFacts } from '@pilothouse/surface-page-elements';
import type { WindowFacts } from '../x/window-manager.ts';
import { deadlineAt, type ChromiumTab, type ChromiumTabs } from './chromium-tabs.ts';

/** Pixels by which the bounds of a window may differ from those that its page reports. */
const MAX_WINDOW_DIFFERENCE_PX = 60;

/** Minimum lead in pixels of the best match over the second-best match. */
const MIN_ADVANTAGE_PX = 3;

/** A page that a window can show. */
export interface VisiblePage {
  readonly tab: ChromiumTab;
  readonly facts: PageWindowFacts;
  /** Difference between the bounds of the window and those that the page reports, in pixels. */
  readonly differencePx: number;
}

/**
 * Finds the tab that a window shows. First asks tabs whose title begins the title of the window: a tab in the background may hang.
 * The tab of a window that has just opened may not be known yet. Then the tab of a sibling is not taken for it.
 * @param siblings other windows of the browser
 * @returns null if no tab, or more than one, can be it
 * @throws Error if none answers that it is, and some tabs do not answer
 */
export async function findVisiblePage(
  browser: Pick<ChromiumTabs, 'tabs' | 'titles'>,
  window: WindowFacts,
  siblings: readonly WindowFacts[],
  deadline: number,
  timers: Pick<Timers, 'monotonic'>,
): Promise<VisiblePage | null> {
  const titles = await browser.titles(deadline - timers.monotonic());
  const isNamed = ({ targetId }: ChromiumTab, { title: windowTitle }: WindowFacts) => {
    const title = (titles.get(targetId) ?? '').trim();
    return title !== '' && windowTitle.startsWith(title);
  };
  const canBeOfSibling = ({ tab, facts, differencePx }: VisiblePage) =>
    siblings.some(
      (sibling) =>
        isNamed(tab, sibling) && differenceOf(facts.window, sibling.bounds) < differencePx + MIN_ADVANTAGE_PX,
    );
  const named = browser.tabs.filter((tab) => isNamed(tab, window));
  const others = browser.tabs.filter(
    (tab) => !isNamed(tab, window) && !siblings.some((sibling) => isNamed(tab, sibling)),
  );
  let isUnanswered = false;
  for (const tabs of [named, others]) {
    const pages = await Promise.allSettled(tabs.map((tab) => visiblePage(tab, window, deadline)));
    isUnanswered ||= pages.some(({ status }) => status === 'rejected');
    const found = pages
      .map((page) => (page.status === 'fulfilled' ? page.value : null))
      .filter((page) => page !== null)
      .toSorted((first, second) => first.differencePx - second.differencePx);
    const [nearest] = found;
    if (!nearest) continue;
    // Several windows can have the same bounds. Takes the one with the focus.
    const alike = found.filter(({ differencePx }) => differencePx < nearest.differencePx + MIN_ADVANTAGE_PX);
    return alike.length === 1 && !canBeOfSibling(nearest)
      ? nearest
      : (alike.find(({ facts }) => facts.isFocused) ?? null);
  }
  if (isUnanswered) throw new Error('The page of the window does not answer');
  return null;
}

async function visiblePage(tab: ChromiumTab, window: WindowFacts, deadline: number): Promise<VisiblePage | null> {
  const limit = deadlineAt(deadline);
  const world = await withTimeout(tab.world(), remainingMs(limit));
  const facts = await world.call('windowFacts', [], limit);
  const differencePx = differenceOf(facts.window, window.bounds);
  return facts.isVisible && differencePx <= MAX_WINDOW_DIFFERENCE_PX ? { tab, facts, differencePx } : null;
}

/** Compares bounds independent of scale. The page does not know the scale of the screen. */
function differenceOf(page: PageWindowFacts['window'], bounds: WindowFacts['bounds']): number {
  if (page.width <= 0) return Infinity;
  const scale = bounds.width / page.width;
  const differences = [page.height * scale - bounds.height, page.x * scale - bounds.x, page.y * scale - bounds.y];
  return Math.max(...differences.map(Math.abs));
}
