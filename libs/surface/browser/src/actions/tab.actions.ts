import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline, remainingMs, poll } from '@pilothouse/core/time/deadlines';
import { matchesUrl } from './wait.actions.ts';
import { type TrackedPage, documentTitle } from '../pages/tracked-page.ts';
import { leavePage } from './leave-page.ts';
import { NO_TARGET, type ActionContext, type ActionHandler } from '../action-context.ts';

/** Maximum time until a page that is asked before it closes is closed. A person may answer its question. */
const CLOSE_TIMEOUT_MS = 5000;

type TabSelector = Pick<ActionOf<'switchTab'>, 'url' | 'title' | 'index'>;

const titleOfTab = (tab: TrackedPage) => documentTitle(tab.page).catch(() => '');

/** Returns the matching tabs. Titles are read only if a title is given. */
async function matchingTabs(
  listedTabs: readonly TrackedPage[],
  { url, title, index }: TabSelector,
): Promise<TrackedPage[]> {
  if (index !== undefined) return [listedTabs.at(index)].filter((tab) => tab !== undefined);
  if (url !== undefined) return listedTabs.filter((tab) => matchesUrl(tab.page.url(), url));
  const titles = await Promise.all(listedTabs.map(titleOfTab));
  return listedTabs.filter((_, index) => titles[index]?.toLowerCase().includes((title ?? '').toLowerCase()));
}

/** Maximum milliseconds for a title, and maximum tabs that are read. A page that hangs keeps its last title. */
const TITLE_TIMEOUT_MS = 500;
/** Maximum milliseconds for the title of a page that did not answer the last time. */
const HANGING_TITLE_TIMEOUT_MS = 50;
const MAX_TABS = 50;

/** Last title of each tab, and true if its page did not answer. */
const shownTitles = new WeakMap<TrackedPage, { readonly title: string; readonly isHanging: boolean }>();

/** Reads all tabs in the order of opening. Empty if there is only one. */
export async function readTabs(
  ctx: Pick<ActionContext, 'pages' | 'page' | 'signal' | 'deadline'>,
): Promise<NonNullable<Observation['tabs']>> {
  const tabs = ctx.pages.tabs.slice(0, MAX_TABS);
  if (tabs.length < 2) return [];
  const limit = limitDeadline(ctx, TITLE_TIMEOUT_MS);
  return Promise.all(
    tabs.map(async (tab) => {
      const known = shownTitles.get(tab);
      const tabLimit = known?.isHanging === true ? limitDeadline(ctx, HANGING_TITLE_TIMEOUT_MS) : limit;
      const read = await raceDeadline(titleOfTab(tab), tabLimit, 'The title').catch(() => null);
      const title = read ?? known?.title ?? '';
      shownTitles.set(tab, { title, isHanging: read === null });
      return { url: tab.page.url(), title, isCurrent: tab.page === ctx.page };
    }),
  );
}

async function describeTabs(listedTabs: readonly TrackedPage[]): Promise<string[]> {
  return Promise.all(listedTabs.map(async (tab, index) => `${index}: "${await titleOfTab(tab)}" ${tab.page.url()}`));
}

/**
 * Waits for exactly one matching tab, because a window may still be opening.
 * @throws PilothouseError TARGET_NOT_FOUND, TARGET_AMBIGUOUS with the list of tabs
 */
async function waitForTab(ctx: ActionContext, selector: TabSelector): Promise<TrackedPage> {
  let matches: TrackedPage[] = [];
  const tabDeadline = { signal: ctx.signal, deadline: ctx.deadline - Math.min(500, remainingMs(ctx) * 0.2) };
  const tab = await poll(async () => {
    matches = await raceDeadline(matchingTabs(ctx.pages.tabs, selector), ctx, 'Reading the tabs');
    return matches.length === 1 ? matches[0] : undefined;
  }, tabDeadline);
  if (tab) return tab;
  const criteria = Object.entries(selector).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  const listedTabs = await raceDeadline(
    describeTabs(matches.length > 1 ? matches : ctx.pages.tabs),
    ctx,
    'Reading the tabs',
  );
  if (matches.length > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${matches.length} tabs have the ${criteria.join(' ')}: ${listedTabs.join(', ')}`,
      {
        details: { listedTabs },
      },
    );
  }
  throw new PilothouseError(
    'TARGET_NOT_FOUND',
    `No tab has the ${criteria.join(' ')}; open tabs: ${listedTabs.join(', ')}`,
    {
      details: { listedTabs },
    },
  );
}

const toSelector = ({ url, title, index }: TabSelector): TabSelector => ({
  ...(url !== undefined && { url }),
  ...(title !== undefined && { title }),
  ...(index !== undefined && { index }),
});

/** Makes another tab current. */
export const switchTab: ActionHandler<'switchTab'> = async (ctx, action) => {
  // A window that is still opening would become current afterwards.
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 2)).catch(() => ctx.signal.throwIfAborted());
  const tab = await waitForTab(ctx, toSelector(action));
  ctx.guard();
  ctx.pages.makeCurrent(tab);
  // With a display, a window behind another one is not painted.
  await raceDeadline(tab.page.bringToFront(), ctx, 'The tab');
  return NO_TARGET;
};

/** Closes a tab. @throws PilothouseError ACTION_UNSUPPORTED for the last one */
export const closeTab: ActionHandler<'closeTab'> = async (ctx, action) => {
  await ctx.waitUntilSettled();
  const selector = toSelector(action);
  const tab = Object.keys(selector).length > 0 ? await waitForTab(ctx, selector) : ctx.tab;
  if (ctx.pages.tabs.length === 1)
    throw new PilothouseError('ACTION_UNSUPPORTED', 'The only tab cannot be closed; open another tab first');
  ctx.guard();
  await leavePage(ctx, `The tab ${tab.page.url()} was not closed`, async () => {
    const closed = new Promise<void>((resolve) => tab.page.once('close', () => resolve()));
    const question = { isOpen: false };
    tab.page.once('dialog', () => (question.isOpen = true));
    await raceDeadline(tab.page.close({ runBeforeUnload: true }), ctx, 'Closing the tab');
    // A page that hangs asks nothing and is closed without asking.
    const answerDeadline = limitDeadline(ctx, Math.min(CLOSE_TIMEOUT_MS, remainingMs(ctx) / 2));
    await raceDeadline(closed, answerDeadline, 'Closing the tab').catch(() => ctx.signal.throwIfAborted());
    if (!question.isOpen) await raceDeadline(tab.page.close(), ctx, 'Closing the tab');
    else await raceDeadline(closed, ctx, 'Closing the tab');
  });
  return NO_TARGET;
};

/** Sets the answer for the next dialog. */
export const handleDialog: ActionHandler<'handleDialog'> = async (ctx, { accept, text }) => {
  await ctx.waitUntilSettled();
  ctx.guard();
  ctx.pages.answerNext({ accept, text: text ?? null, mayAccept: ctx.mayAccept ?? null });
  return NO_TARGET;
};
