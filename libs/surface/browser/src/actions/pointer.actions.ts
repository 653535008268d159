import type { Modifier } from '@pilothouse/contract/actions/shared-actions.schema';
import { waitForTarget } from '../targeting/locate-element.ts';
import { moveOver, press } from '../targeting/hit-target.ts';
import type { Aim } from '../targeting/located-target.ts';
import type { ActionContext, ActionHandler } from '../action-context.ts';

/** Clicks the center of an element or a position in it. The next step waits for a navigation that follows. */
export const click: ActionHandler<'click'> = async (ctx, action) => {
  const { target, button = 'left', count = 1, modifiers = [], position } = action;
  let savesFile = false;
  const find = async (aim: Aim) => {
    const match = await waitForTarget(ctx, target, 'input', { ...aim, position });
    savesFile = match.kind.saves;
    return match;
  };
  const { located, delivery } = await press(ctx, find, {
    subject: 'The click',
    clicks: count,
    isSubmitting: true,
    send: ({ x, y }) => {
      if (savesFile) ctx.pages.expectFile();
      return withModifiers(ctx, modifiers, () => ctx.page.mouse.click(x, y, { button, clickCount: count }));
    },
  });
  return { located, ...(delivery && { delivery }) };
};

/** Holds modifier keys during an input. They are released in any case, even if the page is gone. */
async function withModifiers(
  ctx: ActionContext,
  modifiers: readonly Modifier[],
  input: () => Promise<void>,
): Promise<void> {
  const { page } = ctx;
  try {
    for (const modifier of modifiers) await page.keyboard.down(modifier);
    await input();
  } finally {
    for (const modifier of modifiers) await page.keyboard.up(modifier).catch(() => undefined);
  }
}

/** Moves the pointer over an element. It stays there. */
export const hover: ActionHandler<'hover'> = async (ctx, { target, position }) => {
  const { located } = await moveOver(ctx, (aim) => waitForTarget(ctx, target, 'hover', { ...aim, position }), {
    subject: 'The pointer',
    send: ({ x, y }) => ctx.page.mouse.move(x, y),
  });
  return { located };
};
