import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_EFFECT_REASON } from '@pilothouse/contract/run/outcome';
import { limitDeadline, poll, raceDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import { playwrightMessage } from '../playwright-errors.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import type { Frame, Page, Request, Response } from 'playwright-core';
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

/** Maximum time until a navigation commits that replaces another. */
const COMMIT_TIMEOUT_MS = 1000;

/** Maximum time for reading the URL of a document. */
const URL_TIMEOUT_MS = 500;

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

const notOpened = (reason: string) => ({ ...NO_TARGET, effect: 'unverifiable' as const, effectReason: reason });

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
      return notOpened('The address started a download, and no page was opened');
    }
    if (!reason && !page.isClosed() && commits > 0) {
      await ctx.waitUntilSettled();
      return notOpened('Another navigation of the page replaced this one');
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

interface HistoryNavigation {
  /** Begins the error message. */
  readonly subject: string;
  readonly waitUntil: Until;
  readonly status: ExpectedStatus;
  move(page: Page, options: NavigationOptions): Promise<Response | null>;
  /** True once the wanted document is open. */
  isDone(): Promise<boolean>;
}

/** Runs a navigation of the history and waits for it. @returns null: no document was loaded, or it is unknown */
async function runNavigation(
  ctx: ActionContext,
  { subject, waitUntil, status: expected, move, isDone }: HistoryNavigation,
): Promise<Response | null> {
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
    // Chromium aborted another navigation that was pending, such as a form that is sent. A page also navigates within its document.
    const limit = limitDeadline(ctx, COMMIT_TIMEOUT_MS);
    const isOther =
      reason === 'ERR_ABORTED' &&
      (await poll(async () => (await raceDeadline(isDone(), limit, subject)) || undefined, limit).catch(() => false));
    ctx.signal.throwIfAborted();
    if (isOther) {
      await ctx.waitUntilSettled();
      return null;
    }
    const description =
      error instanceof PilothouseError ? 'not within the time of the step' : (reason ?? playwrightMessage(error));
    throw new PilothouseError('NAVIGATION_FAILED', `${subject} failed: ${description}`, {
      details: { url: page.url() },
    });
  }
  checkStatus(response, expected);
  return response;
}

/** Goes to the previous page. @throws PilothouseError NAVIGATION_FAILED if it does not exist */
export const goBack: ActionHandler<'goBack'> = (ctx, { waitUntil = 'load', status }) =>
  navigateHistory(ctx, -1, waitUntil, status);

/** Goes to the page that `goBack` left. @throws PilothouseError NAVIGATION_FAILED if it does not exist */
export const goForward: ActionHandler<'goForward'> = (ctx, { waitUntil = 'load', status }) =>
  navigateHistory(ctx, 1, waitUntil, status);

/** URL of the document. Playwright learns of a state that a script adds to the history a moment later. */
async function documentUrl(ctx: ActionContext): Promise<string> {
  const { page } = ctx;
  const limit = limitDeadline(ctx, URL_TIMEOUT_MS);
  const url = await raceDeadline(
    page.evaluate(() => location.href),
    limit,
    'The URL',
  ).catch(() => page.url());
  ctx.signal.throwIfAborted();
  return url;
}

/** A restored surface has no browser history, only the URLs of previous pages. They are opened again. */
async function navigateHistory(ctx: ActionContext, offset: -1 | 1, waitUntil: Until, status: ExpectedStatus) {
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 4)).catch(() => ctx.signal.throwIfAborted());
  const { tab } = ctx;
  const previousUrl = ctx.page.url();
  const { currentIndex, entries } = await raceDeadline(tab.browserHistory(), ctx, 'The history');
  const entry = entries[currentIndex + offset];
  const isInitialBlank = entry?.url === BLANK_URL && currentIndex + offset === 0;
  if (entry && !isInitialBlank) {
    const move = (page: Page, options: NavigationOptions) =>
      offset < 0 ? page.goBack(options) : page.goForward(options);
    // A state that a script adds has the index of the next entry, so only a navigation back is known by its index.
    const isDone = async () => {
      const { currentIndex: index, entries: current } = await tab.browserHistory();
      return current[index]?.id === entry.id || (offset < 0 && index === currentIndex + offset);
    };
    const subject = `The navigation ${offset < 0 ? 'back' : 'forward'} to ${entry.url}`;
    const response = await runNavigation(ctx, { subject, waitUntil, status, move, isDone });
    // A state that a script adds meanwhile ends the wait, too.
    const hasArrived = response !== null || (await raceDeadline(isDone(), ctx, subject));
    if (hasArrived && entry.url === previousUrl) return NO_TARGET;
    // Some pages put themselves back into the history, or lead back to the page that was left.
    await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 2)).catch(() => ctx.signal.throwIfAborted());
    const isLedBack = (await documentUrl(ctx)) === previousUrl;
    if (hasArrived && !isLedBack) return NO_TARGET;
    const reason = isLedBack
      ? `The same page is open: ${entry.url} led back to it`
      : `The page opened another address instead of ${entry.url}`;
    return {
      ...NO_TARGET,
      effect: 'unverifiable' as const,
      effectReason: reason.slice(0, MAX_EFFECT_REASON),
    };
  }
  const url = tab.storedUrl(offset);
  if (url === undefined) {
    const side = offset < 0 ? 'before' : 'after';
    throw new PilothouseError(
      'NAVIGATION_FAILED',
      `This tab has no page ${side} ${ctx.page.url()} in its history; open a URL instead`,
    );
  }
  await navigate(ctx, { action: 'navigate', url, waitUntil, ...(status !== undefined && { status }) });
  await tab.openedStored(offset, previousUrl);
  return NO_TARGET;
}

const withoutHash = (url: string) => url.replace(/#.*$/, '');

/** URL of a request before its redirects. */
function initialUrl(request: Request): string {
  const previous = request.redirectedFrom();
  return previous ? initialUrl(previous) : request.url();
}

/** Start of the document in milliseconds, which tells documents of the same URL apart; null: it did not answer. */
const documentStart = (ctx: ActionContext): Promise<number | null> =>
  raceDeadline(
    ctx.page.evaluate(() => performance.timeOrigin),
    limitDeadline(ctx, URL_TIMEOUT_MS),
    'The document',
  ).catch(() => null);

/** Reloads the page. A page that was the result of a form submission is submitted again. */
export const reload: ActionHandler<'reload'> = async (ctx, { waitUntil = 'load', status }) => {
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 4)).catch(() => ctx.signal.throwIfAborted());
  const { page } = ctx;
  const url = page.url();
  // URL of the loaded document: the same, or the one to which it redirects.
  let loadedUrl = /^https?:/.test(url) ? null : url;
  let isCommitted = false;
  const start = await documentStart(ctx);
  ctx.signal.throwIfAborted();
  const onResponse = (response: Response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    if (withoutHash(initialUrl(request)) === withoutHash(url)) loadedUrl = response.url();
  };
  const onCommit = (frame: Frame) => {
    if (frame === page.mainFrame() && loadedUrl !== null && withoutHash(page.url()) === withoutHash(loadedUrl))
      isCommitted = true;
  };
  page.on('response', onResponse);
  page.on('framenavigated', onCommit);
  try {
    await runNavigation(ctx, {
      ...{ subject: `Reloading ${url}`, waitUntil, status },
      move: (current, options) => current.reload(options),
      isDone: async () => isCommitted && (start === null || (await documentStart(ctx)) !== start),
    });
  } finally {
    page.off('response', onResponse);
    page.off('framenavigated', onCommit);
  }
  return NO_TARGET;
};
