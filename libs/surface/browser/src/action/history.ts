import { PilothouseError, type ActionOf } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { playwrightMessage } from '../failure.ts';
import { navigate } from './navigate.ts';
import { BLANK_URL } from '../state/state.ts';
import { NO_TARGET, type ActionContext, type ActionHandler } from '../hand.ts';
import { withTimeout, raceDeadline, remainingMs } from '../wait.ts';

type Until = NonNullable<ActionOf<'back'>['waitUntil']>;
type Options = { waitUntil: Until; timeout: number };

/** Goes where the page itself goes; nothing but the wait for it is done here. */
async function go(
  hand: ActionContext,
  what: string,
  waitUntil: Until,
  move: (page: Page, options: Options) => Promise<unknown>,
) {
  const { page } = hand;
  hand.guard();
  try {
    await raceDeadline(move(page, { waitUntil, timeout: remainingMs(hand) + 1000 }), hand, what);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    const reason = /net::(ERR_[A-Z_]+)/.exec(String(thrown))?.[1];
    const why =
      thrown instanceof PilothouseError ? 'not within the time of the step' : (reason ?? playwrightMessage(thrown));
    throw new PilothouseError('NAVIGATION_FAILED', `${what} failed: ${why}`, { details: { url: page.url() } });
  }
}

/** The page before this one. @throws PilothouseError NAVIGATION_FAILED when there is none */
export const back: ActionHandler<'back'> = (hand, { waitUntil = 'load' }) => travel(hand, -1, waitUntil);

/** The page that `back` left. @throws PilothouseError NAVIGATION_FAILED when there is none */
export const forward: ActionHandler<'forward'> = (hand, { waitUntil = 'load' }) => travel(hand, 1, waitUntil);

/**
 * A surface that was brought to a safe point has no history, only the addresses of the pages before: they are opened anew.
 */
async function travel(hand: ActionContext, way: -1 | 1, waitUntil: Until) {
  await hand.settled(withTimeout(hand, remainingMs(hand) / 4)).catch(() => hand.signal.throwIfAborted());
  const { tab } = hand;
  const { currentIndex, entries } = await raceDeadline(tab.history(), hand, 'The history');
  const entry = entries[currentIndex + way];
  const isBegin = entry?.url === BLANK_URL && currentIndex + way === 0;
  if (entry && !isBegin) {
    const move = (page: Page, options: Options) => (way < 0 ? page.goBack(options) : page.goForward(options));
    await go(hand, `The way ${way < 0 ? 'back' : 'forward'} to ${entry.url}`, waitUntil, move);
    return NO_TARGET;
  }
  const url = tab.kept(way);
  if (url === undefined) {
    const where = way < 0 ? 'before' : 'after';
    throw new PilothouseError('NAVIGATION_FAILED', `There is no page ${where} ${hand.page.url()} in this tab`);
  }
  const from = hand.page.url();
  await navigate(hand, { action: 'navigate', url, waitUntil });
  await tab.cameTo(way, from);
  return NO_TARGET;
}

/** Loads the page again; one that came by a form that was sent is sent again. */
export const reload: ActionHandler<'reload'> = async (hand, { waitUntil = 'load' }) => {
  await hand.settled(withTimeout(hand, remainingMs(hand) / 4)).catch(() => hand.signal.throwIfAborted());
  await go(hand, `The reload of ${hand.page.url()}`, waitUntil, (page, options) => page.reload(options));
  return NO_TARGET;
};
