import { type ActionOf, PilothouseError } from '@pilothouse/contract';
import { limitDeadline, poll, raceDeadline, remainingMs } from '@pilothouse/core';
import { playwrightMessage } from '../playwright-errors.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import type { Page } from 'playwright-core';
import { BLANK_URL } from '../state/state-format.ts';

/**
 * The address that is meant: absolute, or relative to the current page.
 * @throws PilothouseError ACTION_UNSUPPORTED for other schemes than http and https, NAVIGATION_FAILED for what is no address
 */
export function resolveUrl(written: string, current: string): string {
  const absolute = URL.parse(written);
  const url = absolute ?? (/^https?:/.test(current) ? URL.parse(written, current) : null);
  if (!url) {
    const why = /^https?:/.test(current)
      ? 'it is no URL'
      : 'it is relative and no page is open yet; give it whole, with https://';
    throw new PilothouseError('NAVIGATION_FAILED', `"${written.slice(0, 200)}" cannot be opened: ${why}`);
  }
  if (url.protocol === 'http:' || url.protocol === 'https:' || url.href === 'about:blank') return url.href;
  throw new PilothouseError('ACTION_UNSUPPORTED', `A browser opens http and https here, not ${url.protocol} URLs`);
}

/** How long after the end of a navigation it may take to know that a download took its place, in milliseconds. */
const DOWNLOAD = 500;

/** Opens a URL. A status such as 404 is no failure: the page that comes with it is there to be looked at. */
export const navigate: ActionHandler<'navigate'> = async (hand, { url: written, waitUntil = 'load' }) => {
  /* The address may be relative to a page that is on its way; one that hangs is left. */
  await hand.settled(limitDeadline(hand, remainingMs(hand) / 4)).catch(() => hand.signal.throwIfAborted());
  const { page } = hand;
  const url = resolveUrl(written, page.url());
  let downloads = false;
  let commits = 0;
  const onDownload = () => void (downloads = true);
  const onCommit = () => void (commits += 1);
  hand.guard();
  page.on('download', onDownload);
  page.on('framenavigated', onCommit);
  try {
    await raceDeadline(page.goto(url, { waitUntil, timeout: remainingMs(hand) + 1000 }), hand, `The opening of ${url}`);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) {
      throw new PilothouseError('NAVIGATION_FAILED', `${url} did not open within the time of the step`, {
        details: { url },
      });
    }
    const reason = /net::(ERR_[A-Z_]+)/.exec(String(thrown))?.[1];
    /* An address that is a file is downloaded; a page that sends on at once has opened. */
    const mayLoad = !reason || reason === 'ERR_ABORTED';
    if (
      mayLoad &&
      (await poll(async () => downloads || commits > 0 || undefined, limitDeadline(hand, DOWNLOAD))) &&
      downloads
    ) {
      return NO_TARGET;
    }
    if (!reason && !page.isClosed() && commits > 0) {
      await hand.settled();
      return NO_TARGET;
    }
    throw new PilothouseError('NAVIGATION_FAILED', `${url} did not open: ${reason ?? playwrightMessage(thrown)}`, {
      details: { url, ...(reason && { reason }) },
    });
  } finally {
    page.off('download', onDownload);
    page.off('framenavigated', onCommit);
  }
  return NO_TARGET;
};

type Until = NonNullable<ActionOf<'goBack'>['waitUntil']>;
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
export const goBack: ActionHandler<'goBack'> = (hand, { waitUntil = 'load' }) => travel(hand, -1, waitUntil);

/** The page that `goBack` left. @throws PilothouseError NAVIGATION_FAILED when there is none */
export const goForward: ActionHandler<'goForward'> = (hand, { waitUntil = 'load' }) => travel(hand, 1, waitUntil);

/**
 * A surface that was brought to a safe point has no history, only the addresses of the pages before: they are opened anew.
 */
async function travel(hand: ActionContext, way: -1 | 1, waitUntil: Until) {
  await hand.settled(limitDeadline(hand, remainingMs(hand) / 4)).catch(() => hand.signal.throwIfAborted());
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
  await hand.settled(limitDeadline(hand, remainingMs(hand) / 4)).catch(() => hand.signal.throwIfAborted());
  await go(hand, `The reload of ${hand.page.url()}`, waitUntil, (page, options) => page.reload(options));
  return NO_TARGET;
};
