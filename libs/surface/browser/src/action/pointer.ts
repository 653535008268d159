import type { Modifier, Position, Target } from '@pilothouse/contract';
import { send } from '../browser.input.ts';
import { locate } from '../target/locate.ts';
import { moveOver, press, type Point } from './hit-target.ts';
import type { Aim } from '../target/aim.ts';
import type { Hand, Handler } from '../hand.ts';
import { inPage } from '../page/in-page.ts';
import { bounded } from '../wait.ts';

/** Clicks on an element: on its middle, or on a position in it. A navigation that follows is the next step's to wait for. */
export const click: Handler<'click'> = async (hand, action) => {
  const { target, button = 'left', count = 1, modifiers = [], position } = action;
  let saves = false;
  const find = async (aim: Aim) => {
    const found = await locate(hand, target, 'input', { ...aim, position });
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
async function holding(hand: Hand, modifiers: readonly Modifier[], input: () => Promise<void>): Promise<void> {
  const { page } = hand;
  try {
    for (const modifier of modifiers) await page.keyboard.down(modifier);
    await input();
  } finally {
    for (const modifier of modifiers) await page.keyboard.up(modifier).catch(() => undefined);
  }
}

/** Moves the pointer over an element. It stays there until something else moves it. */
export const hover: Handler<'hover'> = async (hand, { target, position }) => {
  const { located } = await moveOver(hand, (aim) => locate(hand, target, 'input', { ...aim, position }), {
    what: 'The pointer',
    send: ({ x, y }) => hand.page.mouse.move(x, y),
  });
  return { located };
};

/** Pixels that the pointer moves first: less is a click to most pages. */
const NUDGE = 8;

/** Events on the way; pages that follow the pointer look at each. */
const STEPS = 12;

/** Lets a page do what it does with the moves so far: some set their marks in the next frame only. */
const nextFrame = inPage(async () => {
  await new Promise<void>((resolve) => {
    /* A page that is not painted has no frames. */
    const timer = setTimeout(resolve, 50);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      }),
    );
  });
});

/**
 * Presses on the middle of an element, moves, and lets go. Chromium makes drag and drop of HTML of it where the page wants that. The
 * guard is asked twice: before the button goes down, and before it comes up.
 */
export const drag: Handler<'drag'> = async (hand, { target, fromPosition, to, position, by }) => {
  const end = () => placeOf(hand, to, position);
  /*
   * Brought into view before, so that the page does not move under a button that is held, if both fit. Nothing may cover it now; later
   * the dragged element may.
   */
  const ending = to && (await locate(hand, to, 'drop', { position }));
  const { mouse } = hand.page;
  const frame = () => bounded(hand.page.locator('css=:root').evaluateAll(nextFrame, undefined), hand, 'The drag');
  const { point: from, located } = await press(
    hand,
    (aim) => locate(hand, target, 'input', { ...aim, position: fromPosition }),
    {
      what: 'The drag',
      send: async ({ x, y }) => {
        await mouse.move(x, y);
        await mouse.down();
      },
      release: () => mouse.up(),
    },
  );
  try {
    const ahead = by ? { x: from.x + (by.x ?? 0), y: from.y + (by.y ?? 0) } : await end();
    const first = nudged(from, ahead);
    await bounded(mouse.move(first.x, first.y, { steps: 2 }), hand, 'The drag');
    await frame();
    await bounded(mouse.move(ahead.x, ahead.y, { steps: STEPS }), hand, 'The drag');
    await frame();
    /* What is dragged may have pushed things aside: where it is to go is where that is now. */
    const there = by ? ahead : await end();
    await bounded(mouse.move(there.x, there.y, { steps: 2 }), hand, 'The drag');
    await frame();
  } catch (thrown) {
    await letGo(hand, from);
    throw thrown;
  }
  await send(hand, 'The drop', () => mouse.up());
  const ends = ending?.located.others;
  return { located: { ...located, ...(ends && { ends }) } };
};

async function placeOf(hand: Hand, to: Target | undefined, position: Position | undefined): Promise<Point> {
  if (!to) throw new Error('A drag step has exactly one of to, by');
  return (await locate(hand, to, 'place', { position })).point;
}

/** A drag that came to nothing ends where it began. */
async function letGo(hand: Hand, { x, y }: Point): Promise<void> {
  if (hand.signal.aborted) return;
  const { mouse } = hand.page;
  await bounded(
    mouse.move(x, y).then(() => mouse.up()),
    hand,
    'The drag',
  ).catch(() => undefined);
}

function nudged(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length <= NUDGE) return to;
  return { x: from.x + ((to.x - from.x) * NUDGE) / length, y: from.y + ((to.y - from.y) * NUDGE) / length };
}
