import { PilothouseError } from '@pilothouse/contract';
import { playwrightMessage } from '../failure.ts';
import { NO_TARGET, type ActionHandler } from '../hand.ts';
import { withTimeout, raceDeadline, remainingMs, poll } from '../wait.ts';

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
  await hand.settled(withTimeout(hand, remainingMs(hand) / 4)).catch(() => hand.signal.throwIfAborted());
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
      (await poll(async () => downloads || commits > 0 || undefined, withTimeout(hand, DOWNLOAD))) &&
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
