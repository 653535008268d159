import { raceDeadline, remainingMs, type Deadline } from '@pilothouse/core';
import { waitForIdle as restsInPage } from '../injected/snapshot/snapshot-bundle.ts';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

const restsNow = pageFunction((ms: number, _: undefined, tools) => tools.restsInPage(ms), { restsInPage }) as (
  ms: number,
) => Promise<boolean>;

/** Whether the page has nothing to do that would soon change it, and waits for no answer. Takes some 50 ms of an idle page. */
export async function rests(hand: ActionContext, bound: Deadline): Promise<boolean> {
  if (hand.tab.traffic.isAny || !hand.tab.isSettled) return false;
  return (await isIdle(hand, bound)) && !hand.tab.traffic.isAny;
}

/** Whether the documents of the page have nothing to do that would soon change them, whatever they wait for. Takes some 50 ms as well. */
export async function isIdle(hand: ActionContext, bound: Deadline): Promise<boolean> {
  const asked = hand.page.frames().map((frame) => frame.evaluate(restsNow, remainingMs(bound)));
  const answers = await raceDeadline(Promise.all(asked), bound, 'The wait for an idle page');
  return answers.every(Boolean);
}
