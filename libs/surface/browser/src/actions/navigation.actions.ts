import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, poll, raceDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import { playwrightMessage } from '../playwright-errors.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import type { Page, Response } from 'playwright-core';
import { leavePage } from './leave-page.ts';
import { BLANK_URL } from '../state/state-format.ts';

/**
 * Resolves an absolute URL, or one relative to the current page.
 * @throws PilothouseError ACTION_UNSUPPORTED for schemes other than http and https, NAVIGATION_FAILED for an invalid
 * URL
 */
export function resolveUrl(rawUrl: string, current: string): string {
  const absolute = URL.parse(rawUrl);
  const url = absolute ?? (/^https?:/.test(current) ? URL.parse(rawUrl, current) : null);
  if (!url) {
    const reason = /^https?:/.test(current)
      ? 'it is not a URL'
      : 'it is relative, and no page is open; use an absolute URL with https://';
    throw new PilothouseError('NAVIGATION_FAILED', `"${rawUrl.slice(0, 200)}" cannot be opened: ${reason}`);
  }
  if (url.protocol === 'http:' || url.protocol === 'https:' || url.href === 'about:blank') return url.href;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `The protocol ${url.protocol} is not supported; use an http or https URL`,
  );
}

/** Delay after which a navigation that became a download is known. */
const DOWNLOAD_NOTICE_MS = 500;

type ExpectedStatus = ActionOf<'navigate'>['status'];

/**
 * Checks the HTTP status of a page. Without an expectation, a page such as 404 is shown, and 5xx fails.
 * @throws PilothouseError NAVIGATION_FAILED
 */
function checkStatus(response: Response | null, expected: ExpectedStatus): void {
  if (!response || expected === 'any') return;
  const status = response.status();
  const isExpected =
    expected === undefined ? status < 500 : expected === status || expected === `${Math.floor(status / 100)}xx`;
  if (isExpected) return;
  const url = response.url();
  const problem = expected === undefined ? '' : `, not ${expected}`;
  throw new PilothouseError(
    'NAVIGATION_FAILED',
    `${url} answered with HTTP status ${status}${problem}; try again later, or accept the page with status: ${status}`,
    { details: { url, status } },
  );
}

/** Opens a URL. */
export const navigate: ActionHandler<'navigate'> = async (ctx, { url: rawUrl, waitUntil = 'load', status }) => {
  // The URL may be relative to a page that is still loading. A page that hangs is abandoned.
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 4)).catch(() => ctx.signal.throwIfAborted());
  const { page } = ctx;
  const url = resolveUrl(rawUrl, page.url());
  let downloads = false;
  let commits = 0;
  let response: Response | null = null;
  const onDownload = () => void (downloads = true);
  const onCommit = () => void (commits += 1);
  ctx.guard();
  page.on('download', onDownload);
  page.on('framenavigated', onCommit);
  try {
    const open = () => page.goto(url, { waitUntil, timeout: remainingMs(ctx) + 1000 });
    response = await leavePage(ctx, `${url} did not open`, () => raceDeadline(open(), ctx, `Opening ${url}`));
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError && error.code === 'NAVIGATION_FAILED') throw error;
    if (error instanceof PilothouseError) {
      throw new PilothouseError('NAVIGATION_FAILED', `${url} did not open within the time of the step`, {
        details: { url },
      });
    }
    const reason = /net::(ERR_[A-Z_]+)/.exec(String(error))?.[1];
    // The URL of a file starts a download. A page that redirects at once counts as opened.
    const mayLoad = !reason || reason === 'ERR_ABORTED';
    if (
      mayLoad &&
      (await poll(async () => downloads || commits > 0 || undefined, limitDeadline(ctx, DOWNLOAD_NOTICE_MS))) &&
      downloads
    ) {
      return NO_TARGET;
    }
    if (!reason && !page.isClosed() && commits > 0) {
      await ctx.waitUntilSettled();
      return NO_TARGET;
    }
    throw new PilothouseError('NAVIGATION_FAILED', `${url} did not open: ${reason ?? playwrightMessage(error)}`, {
      details: { url, ...(reason && { reason }) },
    });
  } finally {
    page.off('download', onDownload);
    page.off('framenavigated', onCommit);
  }
  checkStatus(response, status);
  return NO_TARGET;
};

type Until = NonNullable<ActionOf<'goBack'>['waitUntil']>;
type NavigationOptions = { waitUntil: Until; timeout: number };

/** Runs a navigation of the history and waits for it. */
async function runNavigation(
  ctx: ActionContext,
  subject: string,
  waitUntil: Until,
  expected: ExpectedStatus,
  move: (page: Page, options: NavigationOptions) => Promise<Response | null>,
) {
  const { page } = ctx;
  let response: Response | null = null;
  ctx.guard();
  try {
    const start = () => move(page, { waitUntil, timeout: remainingMs(ctx) + 1000 });
    response = await leavePage(ctx, `${subject} failed`, () => raceDeadline(start(), ctx, subject));
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError && error.code === 'NAVIGATION_FAILED') throw error;
    const reason = /net::(ERR_[A-Z_]+)/.exec(String(error))?.[1];
    const description =
      error instanceof PilothouseError ? 'not within the time of the step' : (reason ?? playwrightMessage(error));
    throw new PilothouseError('NAVIGATION_FAILED', `${subject} failed: ${description}`, {
      details: { url: page.url() },
    });
  }
  checkStatus(response, expected);
}

/** Goes to the previous page. @throws PilothouseError NAVIGATION_FAILED if it does not exist */
export const goBack: ActionHandler<'goBack'> = (ctx, { waitUntil = 'load', status }) =>
  navigateHistory(ctx, -1, waitUntil, status);

/** Goes to the page that `goBack` left. @throws PilothouseError NAVIGATION_FAILED if it does not exist */
export const goForward: ActionHandler<'goForward'> = (ctx, { waitUntil = 'load', status }) =>
  navigateHistory(ctx, 1, waitUntil, status);

/** A restored surface has no browser history, only the URLs of previous pages. They are opened again. */
async function navigateHistory(ctx: ActionContext, offset: -1 | 1, waitUntil: Until, status: ExpectedStatus) {
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 4)).catch(() => ctx.signal.throwIfAborted());
  const { tab } = ctx;
  const { currentIndex, entries } = await raceDeadline(tab.browserHistory(), ctx, 'The history');
  const entry = entries[currentIndex + offset];
  const isInitialBlank = entry?.url === BLANK_URL && currentIndex + offset === 0;
  if (entry && !isInitialBlank) {
    const move = (page: Page, options: NavigationOptions) =>
      offset < 0 ? page.goBack(options) : page.goForward(options);
    await runNavigation(
      ctx,
      `The navigation ${offset < 0 ? 'back' : 'forward'} to ${entry.url}`,
      waitUntil,
      status,
      move,
    );
    return NO_TARGET;
  }
  const url = tab.storedUrl(offset);
  if (url === undefined) {
    const side = offset < 0 ? 'before' : 'after';
    throw new PilothouseError(
      'NAVIGATION_FAILED',
      `This tab has no page ${side} ${ctx.page.url()} in its history; open a URL instead`,
    );
  }
  const previousUrl = ctx.page.url();
  await navigate(ctx, { action: 'navigate', url, waitUntil, ...(status !== undefined && { status }) });
  await tab.openedStored(offset, previousUrl);
  return NO_TARGET;
}

/** Reloads the page. A page that was the result of a form submission is submitted again. */
export const reload: ActionHandler<'reload'> = async (ctx, { waitUntil = 'load', status }) => {
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 4)).catch(() => ctx.signal.throwIfAborted());
  await runNavigation(ctx, `Reloading ${ctx.page.url()}`, waitUntil, status, (page, options) => page.reload(options));
  return NO_TARGET;
};
