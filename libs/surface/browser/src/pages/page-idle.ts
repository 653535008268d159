import { delayWithin, poll, raceDeadline, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { BrowserObserver } from '../browser.observation.ts';
import { waitForIdle } from '@pilothouse/surface-page-elements';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

const waitForIdleInPage = pageFunction((ms: number, _: undefined, tools) => tools.waitForIdle(ms), { waitForIdle }) as (
  ms: number,
) => Promise<boolean>;

/** True if the page is idle and waits for no response. Takes about 50 ms on an idle page. */
export async function isPageIdle(ctx: ActionContext, deadline: Deadline): Promise<boolean> {
  if (ctx.tab.network.isActive || !ctx.tab.isSettled) return false;
  return (await areDocumentsIdle(ctx, deadline)) && !ctx.tab.network.isActive;
}

/** True if the documents of the page are idle, even with pending responses. Takes about 50 ms. */
export async function areDocumentsIdle(ctx: ActionContext, deadline: Deadline): Promise<boolean> {
  const checks = ctx.page.frames().map((frame) => frame.evaluate(waitForIdleInPage, remainingMs(deadline)));
  const answers = await raceDeadline(Promise.all(checks), deadline, 'Waiting for an idle page');
  return answers.every(Boolean);
}

/**
 * Waits until nothing is about to change the last observed documents for some time.
 * @param ms minimum idle time
 * @returns false at the deadline
 */
export async function waitUntilIdle(ctx: ActionContext, ms: number): Promise<boolean> {
  const { tab, page } = ctx;
  const staysIdle = async () => {
    const startedAt = ctx.timers.monotonic();
    if (tab.network.isActive || !(await BrowserObserver.forPage(page).isIdle(ctx))) return undefined;
    await delayWithin(startedAt + ms - ctx.timers.monotonic(), ctx);
    // Activity that began during the check is known once the check has returned.
    return tab.isSettled && ctx.page === page && tab.network.isIdleSince(startedAt) ? true : undefined;
  };
  return (await poll(staysIdle, ctx)) ?? false;
}
