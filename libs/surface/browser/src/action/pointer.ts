import type { Modifier } from '@pilothouse/contract';
import { waitForTarget } from '../target/locate.ts';
import { moveOver, press } from './hit-target.ts';
import type { Aim } from '../target/aim.ts';
import type { ActionContext, ActionHandler } from '../hand.ts';

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
