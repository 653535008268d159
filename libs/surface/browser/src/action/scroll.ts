import { onOne, send } from '../browser.input.ts';
import { locate } from '../target/locate.ts';
import { oneOf } from '../page/one.ts';
import type { Handler } from '../hand.ts';
import { reveal, scrollAround } from '../page/scroll.ts';

/**
 * Brings an element into view, or scrolls what scrolls around it. Where nothing does (a map, a canvas), the wheel of the mouse is
 * turned over it.
 */
export const scroll: Handler<'scroll'> = async (hand, { target, by, to }) => {
  const found = target ? await locate(hand, target, 'visible') : null;
  if (!found) await hand.settled();
  const one = found?.one ?? oneOf(hand.page.locator('css=:root'));
  const located = found?.located ?? null;
  if (!by && !to) {
    await send(hand, 'Scrolling', () => onOne(hand, one, reveal, undefined, 'Scrolling'));
    return { located };
  }
  const way = { x: by?.x ?? 0, y: by?.y ?? 0, to: to ?? null };
  let scrolled = false;
  await send(hand, 'Scrolling', async () => {
    scrolled = await onOne(hand, one, scrollAround, way, 'Scrolling');
  });
  if (scrolled || !by || !target) return { located };
  const { point } = await locate(hand, target, 'input');
  const { mouse } = hand.page;
  await send(hand, 'The wheel', async () => {
    await mouse.move(point.x, point.y);
    await mouse.wheel(way.x, way.y);
  });
  return { located };
};
