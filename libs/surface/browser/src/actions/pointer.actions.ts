import type { Modifier } from '@pilothouse/contract';
import { waitForTarget } from '../targeting/locate-element.ts';
import { moveOver, press } from '../targeting/hit-target.ts';
import type { Aim } from '../targeting/input-purpose.ts';
import type { ActionContext, ActionHandler } from '../action-context.ts';
import { evaluateOn, sendInput } from '../browser.input.ts';
import { fromLocator } from '../targeting/element-ref.ts';
import { scrollIntoView, scrollContainer } from '../injected/page-text.ts';

/** Clicks on an element: on its middle, or on a position in it. A navigation that follows is the next step's to wait for. */
export const click: ActionHandler<'click'> = async (hand, action) => {
  const { target, button = 'left', count = 1, modifiers = [], position } = action;
  let saves = false;
  const find = async (aim: Aim) => {
    const found = await waitForTarget(hand, target, 'input', { ...aim, position });
    saves = found.kind.saves;
    return found;
  };
  const { located } = await press(hand, find, {
    what: 'The click',
    send: ({ x, y }) => {
      if (saves) hand.tabs.wantsFile();
      return holding(hand, modifiers, () => hand.page.mouse.click(x, y, { button, clickCount: count }));
    },
  });
  return { located };
};

/** Holds keys while something is done. They are let go in any case, also when the page is gone. */
async function holding(hand: ActionContext, modifiers: readonly Modifier[], input: () => Promise<void>): Promise<void> {
  const { page } = hand;
  try {
    for (const modifier of modifiers) await page.keyboard.down(modifier);
    await input();
  } finally {
    for (const modifier of modifiers) await page.keyboard.up(modifier).catch(() => undefined);
  }
}

/** Moves the pointer over an element. It stays there until something else moves it. */
export const hover: ActionHandler<'hover'> = async (hand, { target, position }) => {
  const { located } = await moveOver(hand, (aim) => waitForTarget(hand, target, 'input', { ...aim, position }), {
    what: 'The pointer',
    send: ({ x, y }) => hand.page.mouse.move(x, y),
  });
  return { located };
};

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
