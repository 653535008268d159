import { evaluateOn, sendInput } from '../browser.input.ts';
import { waitForTarget } from '../target/locate.ts';
import { fromLocator } from '../page/one.ts';
import type { ActionHandler } from '../hand.ts';
import { scrollIntoView, scrollContainer } from '../page/scroll.ts';

/**
 * Brings an element into view, or scrolls what scrolls around it. Where nothing does (a map, a canvas), the wheel of the mouse is
 * turned over it.
 */
export const scroll: ActionHandler<'scroll'> = async (hand, { target, by, to }) => {
  const found = target ? await waitForTarget(hand, target, 'visible') : null;
  if (!found) await hand.settled();
  const one = found?.one ?? fromLocator(hand.page.locator('css=:root'));
  const located = found?.located ?? null;
  if (!by && !to) {
    await sendInput(hand, 'Scrolling', () => evaluateOn(hand, one, scrollIntoView, undefined, 'Scrolling'));
    return { located };
  }
  const way = { x: by?.x ?? 0, y: by?.y ?? 0, to: to ?? null };
  let scrolled = false;
  await sendInput(hand, 'Scrolling', async () => {
    scrolled = await evaluateOn(hand, one, scrollContainer, way, 'Scrolling');
  });
  if (scrolled || !by || !target) return { located };
  const { point } = await waitForTarget(hand, target, 'input');
  const { mouse } = hand.page;
  await sendInput(hand, 'The wheel', async () => {
    await mouse.move(point.x, point.y);
    await mouse.wheel(way.x, way.y);
  });
  return { located };
};
