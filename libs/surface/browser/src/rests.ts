import { ElementList } from './elements/list.ts';
import type { Hand } from './hand.ts';
import type { Bound } from './wait.ts';

/** Whether the page has nothing to do that would soon change it, and waits for no answer. Takes some 50 ms of an idle page. */
export async function rests(hand: Hand, bound: Bound): Promise<boolean> {
  return !hand.tab.traffic.isAny && hand.tab.isSettled && (await ElementList.of(hand.page).rests(bound));
}
