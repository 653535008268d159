import { PilothouseError, type ActionOf } from '@pilothouse/contract';
import { limitDeadline, raceDeadline, remainingMs, poll } from '@pilothouse/core';
import { matchesUrl } from './wait.actions.ts';
import { type TrackedPage, documentTitle } from '../pages/tracked-page.ts';
import { NO_TARGET, type ActionContext, type ActionHandler } from '../action-context.ts';

type Which = Pick<ActionOf<'switchTab'>, 'url' | 'title' | 'index'>;

const titleOfTab = (tab: TrackedPage) => documentTitle(tab.page).catch(() => '');

/** The tabs that are meant; the titles of all are asked for only when one is named. */
async function fitting(tabs: readonly TrackedPage[], { url, title, index }: Which): Promise<TrackedPage[]> {
  if (index !== undefined) return [tabs.at(index)].filter((tab) => tab !== undefined);
  if (url !== undefined) return tabs.filter((tab) => matchesUrl(tab.page.url(), url));
  const titles = await Promise.all(tabs.map(titleOfTab));
  return tabs.filter((_, at) => titles[at]?.toLowerCase().includes((title ?? '').toLowerCase()));
}

async function listed(tabs: readonly TrackedPage[]): Promise<string[]> {
  return Promise.all(tabs.map(async (tab, index) => `${index}: "${await titleOfTab(tab)}" ${tab.page.url()}`));
}

/**
 * The one tab that is meant, waiting for it: a window may still be opening.
 * @throws PilothouseError TARGET_NOT_FOUND, TARGET_AMBIGUOUS with the tabs there are
 */
async function find(hand: ActionContext, which: Which): Promise<TrackedPage> {
  let found: TrackedPage[] = [];
  const until = { signal: hand.signal, deadline: hand.deadline - Math.min(500, remainingMs(hand) * 0.2) };
  const one = await poll(async () => {
    found = await raceDeadline(fitting(hand.tabs.all, which), hand, 'The look at the tabs');
    return found.length === 1 ? found[0] : undefined;
  }, until);
  if (one) return one;
  const said = Object.entries(which).map(([part, value]) => `${part} ${JSON.stringify(value)}`);
  const tabs = await raceDeadline(listed(found.length > 1 ? found : hand.tabs.all), hand, 'The look at the tabs');
  if (found.length > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${found.length} tabs have the ${said.join(' ')}: ${tabs.join(', ')}`,
      {
        details: { tabs },
      },
    );
  }
  throw new PilothouseError('TARGET_NOT_FOUND', `No tab has the ${said.join(' ')}; there are ${tabs.join(', ')}`, {
    details: { tabs },
  });
}

const whichOf = ({ url, title, index }: Which): Which => ({
  ...(url !== undefined && { url }),
  ...(title !== undefined && { title }),
  ...(index !== undefined && { index }),
});

/** Goes on in another tab. */
export const switchTab: ActionHandler<'switchTab'> = async (hand, action) => {
  /* A window that is on its way would be gone on in once it is there. */
  await hand.settled(limitDeadline(hand, remainingMs(hand) / 2)).catch(() => hand.signal.throwIfAborted());
  const tab = await find(hand, whichOf(action));
  hand.guard();
  hand.tabs.goTo(tab);
  /* What is behind another window is not painted where there is a screen. */
  await raceDeadline(tab.page.bringToFront(), hand, 'The tab');
  return NO_TARGET;
};

/** Closes a tab. @throws PilothouseError ACTION_UNSUPPORTED for the last one */
export const closeTab: ActionHandler<'closeTab'> = async (hand, action) => {
  await hand.settled();
  const which = whichOf(action);
  const tab = Object.keys(which).length > 0 ? await find(hand, which) : hand.tab;
  if (hand.tabs.all.length === 1)
    throw new PilothouseError('ACTION_UNSUPPORTED', 'This is the only tab: without it there is nothing to go on with');
  hand.guard();
  await raceDeadline(tab.page.close(), hand, 'The closing of the tab');
  return NO_TARGET;
};

/** Takes note of what the next dialog gets. */
export const handleDialog: ActionHandler<'handleDialog'> = async (hand, { accept, text }) => {
  await hand.settled();
  hand.guard();
  hand.tabs.answerNext({ accept, text: text ?? null, mayAccept: hand.mayAccept ?? null });
  return NO_TARGET;
};
