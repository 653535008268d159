import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { ActionContext } from '../action-context.ts';
import { RenderingMonitor } from './page-rendering.ts';

const STEP_MS = 10_000;

/** A monitor of a page without frames. @param isResponsePending whether a response that the page may show is pending */
function aMonitor(isResponsePending: () => boolean) {
  const timers = new ManualTimers();
  const network = {
    isRendering: isResponsePending,
    get isResponsePending() {
      return isResponsePending();
    },
  };
  const limits = { signal: new AbortController().signal, deadline: STEP_MS, timers };
  const ctx = { ...limits, tab: { network }, page: { frames: () => [] } } as unknown as ActionContext;
  const monitor = new RenderingMonitor(ctx, limits);
  /** Asks until matches count. @returns milliseconds */
  const timeUntil = async (decide: () => Promise<boolean>) => {
    let endedAt: number | undefined;
    const deciding = (async () => {
      while (!(await decide())) await timers.delay(1);
      endedAt = timers.monotonic();
    })();
    while (endedAt === undefined) await timers.advance(1);
    await deciding;
    return endedAt;
  };
  return {
    timeUntilUnique: () => timeUntil(() => monitor.isUnique()),
    timeUntilAmbiguous: () => timeUntil(() => monitor.isAmbiguous()),
  };
}

it('counts a unique match at once on a page without pending responses', async () => {
  expect(await aMonitor(() => false).timeUntilUnique()).toBe(0);
});

it('counts several matches once they persist', async () => {
  expect(await aMonitor(() => false).timeUntilAmbiguous()).toBe(250);
});

it('counts matches on a page that never settles after a time limit', async () => {
  // 500 ms, and one more between two questions.
  expect(await aMonitor(() => true).timeUntilUnique()).toBe(501);
  expect(await aMonitor(() => true).timeUntilAmbiguous()).toBe(501);
});
