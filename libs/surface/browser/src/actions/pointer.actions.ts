import type { Modifier } from '@pilothouse/contract/actions/shared-actions.schema';
import { limitDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { nextFrames } from '../injected/scroll-page.ts';
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
  const { located, effect } = await press(ctx, find, {
    subject: 'The click',
    clicks: count,
    isSubmitting: true,
    send: ({ x, y }) => {
      if (savesFile) ctx.pages.expectFile();
      return withModifiers(ctx, modifiers, () => ctx.page.mouse.click(x, y, { button, clickCount: count }));
    },
  });
  return { located, ...effect };
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

/** Maximum time for reading whether the pointer is over an element. */
const READ_TIMEOUT_MS = 500;

/** True if the pointer is over an element, or over the control that contains it. Waits for the reaction of the page. */
const isUnderPointer = elementFunction(
  async (element: Element, _: undefined, { plain, nextFrames }): Promise<boolean> => {
    await nextFrames();
    const native = plain(element);
    const control = native.closest('button, [role=button], a, [role=link], label');
    return !native.isConnected || native.matches('area, :hover') || control?.matches(':hover') === true;
  },
  { nextFrames },
);

/** Moves the pointer over an element. It stays there. */
export const hover: ActionHandler<'hover'> = async (ctx, { target, position }) => {
  const { located, ref } = await moveOver(ctx, (aim) => waitForTarget(ctx, target, 'hover', { ...aim, position }), {
    subject: 'The pointer',
    send: ({ x, y }) => ctx.page.mouse.move(x, y),
  });
  if (ref.isOnlyPoint) return { located, effect: 'unverifiable' };
  const limit = limitDeadline(ctx, READ_TIMEOUT_MS);
  const isOver = await raceDeadline(ref.evaluateAll(isUnderPointer, undefined), limit, 'The pointer').catch(() => null);
  ctx.signal.throwIfAborted();
  if (isOver === null) return { located, effect: 'unverifiable' };
  if (isOver.value) return { located };
  const reason = 'The element received the pointer, and then moved away or was covered';
  return { located, effect: 'unverifiable', effectReason: reason };
};
