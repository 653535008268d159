import { PilothouseError, type ActionOf } from '@pilothouse/contract';
import { type ActionOutcome, limitDeadline, raceDeadline, remainingMs, delayWithin } from '@pilothouse/core';
import type { ElementHandle, Frame, JSHandle } from 'playwright-core';
import { sendInput } from '../browser.input.ts';
import { waitForTarget, type LocatedTarget } from '../targeting/locate-element.ts';
import { pointWithin } from '../targeting/pointed-element.ts';
import { LAST_TRY_MS, press, type Point } from '../targeting/hit-target.ts';
import { dropHit, passedAt, type DropCheck, type Passed } from '../injected/drop-target.ts';
import type { ActionContext, ActionHandler } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

/** Pixels that the pointer moves first: less is a click to most pages. */
const NUDGE = 8;

/** Events on each half of the way; pages that follow the pointer look at each. */
const STEPS = 6;

/** Milliseconds in which what covers the place of a drop may go away, with the button held. */
const RELEASE_MS = 500;

/** Milliseconds for getting hold of the dragged element, which the page may have taken away. */
const HOLD_MS = 500;

/** Milliseconds between two looks at the place of a drop, and between two tries of a drag. */
const LOOK_MS = 50;
const RETRY_MS = 250;

/** Lets a page do what it does with the moves so far: some set their marks in the next frame only. */
const nextFrame = pageFunction(async () => {
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
 * Presses on the middle of an element, moves, and lets go over another one. Chromium makes drag and drop of HTML of it where the page
 * wants that. Where something else would take the drop, the drag is cancelled and tried again. The guard is asked twice: before the
 * button goes down, and before it comes up.
 */
export const drag: ActionHandler<'drag'> = async (hand, action) => {
  for (;;) {
    const { located, missed } = await dragOnce(hand, action);
    if (missed === null) return { located };
    if (remainingMs(hand) < LAST_TRY_MS + RETRY_MS) {
      const { locator, why } = missed;
      throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${locator} is there, but ${why}; nothing was dropped`, {
        details: { ...missed },
      });
    }
    await delayWithin(RETRY_MS, hand);
  }
};

interface Tried {
  readonly located: ActionOutcome['located'];
  /** Why nothing was dropped; null: it was. */
  readonly missed: { readonly locator: string; readonly why: string } | null;
}

async function dragOnce(
  hand: ActionContext,
  { target, fromPosition, to, position, by }: ActionOf<'drag'>,
): Promise<Tried> {
  /*
   * Brought into view before, so that the page does not move under a button that is held, if both fit. Nothing may cover it now; later
   * the dragged element may.
   */
  const ending = to && (await waitForTarget(hand, to, 'drop', { position }));
  const { mouse } = hand.page;
  const move = (point: Point, steps: number) => raceDeadline(mouse.move(point.x, point.y, { steps }), hand, 'The drag');
  const found = await press(hand, (aim) => waitForTarget(hand, target, 'input', { ...aim, position: fromPosition }), {
    what: 'The drag',
    send: async ({ x, y }) => {
      await mouse.move(x, y);
      await mouse.down();
    },
    release: () => mouse.up(),
  });
  const { point: from, located } = found;
  let cover: string | null = null;
  try {
    const source = await raceDeadline(
      found.one.other(itself, undefined),
      limitDeadline(hand, HOLD_MS),
      'The drag',
    ).catch(() => null);
    const place = to && (() => waitForTarget(hand, to, 'place', { position }));
    const ahead = place ? (await place()).point : { x: from.x + (by?.x ?? 0), y: from.y + (by?.y ?? 0) };
    await move(nudged(from, ahead), 2);
    await frame(hand);
    const half = { x: (from.x + ahead.x) / 2, y: (from.y + ahead.y) / 2 };
    await move(half, STEPS);
    await frame(hand);
    const passed = ending && (await passedIn(hand, ending.frame, half));
    await move(ahead, STEPS);
    await frame(hand);
    if (place)
      cover = await moveToDropPoint(hand, place, (over, point) =>
        coverOf(hand, over, point, { found, source, passed }),
      );
    else {
      await move(ahead, 2);
      await frame(hand);
    }
    for (const handle of [source, passed?.passed]) handle?.dispose().catch(() => undefined);
  } catch (thrown) {
    await cancel(hand, from);
    throw thrown;
  }
  if (cover === null) await sendInput(hand, 'The drop', () => mouse.up());
  else await cancel(hand, from);
  const ends = ending?.located.alternatives;
  const missed = cover === null ? null : { locator: ending?.located.locator ?? '', why: cover };
  return { located: { ...located, ...(ends && { ends }) }, missed };
}

const itself = ([element]: Element[]): Element | null => element ?? null;

const frame = (hand: ActionContext) =>
  raceDeadline(hand.page.locator('css=:root').evaluateAll(nextFrame, undefined), hand, 'The drag');

/**
 * Moves the pointer over the element. What is dragged may have pushed things aside: where it is to go is where that is now.
 * @param coverAt what would take a drop at the point
 * @returns what covers the element; null: nothing does
 */
async function moveToDropPoint(
  hand: ActionContext,
  place: () => Promise<LocatedTarget>,
  coverAt: (over: LocatedTarget, point: Point) => Promise<string | null>,
): Promise<string | null> {
  const until = limitDeadline(hand, RELEASE_MS);
  let at: Point | null = null;
  for (;;) {
    const over = await place();
    const { point } = over;
    if (!at || Math.hypot(at.x - point.x, at.y - point.y) > 1) {
      await raceDeadline(hand.page.mouse.move(point.x, point.y, { steps: 2 }), hand, 'The drag');
      await frame(hand);
      at = point;
    }
    const cover = await coverAt(over, at);
    if (cover === null || remainingMs(until) === 0) return cover;
    await delayWithin(LOOK_MS, hand);
  }
}

interface Dragged {
  readonly found: LocatedTarget;
  readonly source: ElementHandle<Element> | null;
  readonly passed: DragMidpoint | undefined;
}

/** The elements under the pointer halfway through a drag. */
interface DragMidpoint {
  readonly frame: Frame;
  readonly at: Point;
  readonly passed: JSHandle<Passed[]>;
}

async function passedIn(hand: ActionContext, frame: Frame, at: Point): Promise<DragMidpoint> {
  const point = await raceDeadline(pointWithin(frame, at), hand, 'The drag');
  const asked = frame.locator('css=:root').evaluateHandle(passedAt, point);
  return { frame, at, passed: await raceDeadline(asked, hand, 'The drag') };
}

async function coverOf(
  hand: ActionContext,
  over: LocatedTarget,
  at: Point,
  { found, source, passed }: Dragged,
): Promise<string | null> {
  const { frame, one } = over;
  const point = await raceDeadline(pointWithin(frame, at), hand, 'The drag');
  /* On a short way, everything seems to follow the pointer. */
  const isFar = passed?.frame === frame && Math.hypot(passed.at.x - at.x, passed.at.y - at.y) > 2 * NUDGE;
  const check = { point, source: found.frame === frame ? source : null, passed: isFar ? passed.passed : [] };
  return raceDeadline(one.evaluateAll(dropHit, check as unknown as DropCheck), hand, 'The drag');
}

/**
 * Ends a drag where it began. The Escape key ends drag and drop of HTML before the button comes up: no element takes the drop. The page
 * gets neither the key nor the click that a drag by the mouse ends with.
 */
async function cancel(hand: ActionContext, { x, y }: Point): Promise<void> {
  if (hand.signal.aborted) return;
  const { tab } = hand;
  const { mouse, keyboard } = hand.page;
  const cancelled = async () => {
    await tab.interceptors.mute();
    await keyboard.press('Escape');
    await mouse.move(x, y);
    await mouse.up();
    await tab.interceptors.disarm();
  };
  await raceDeadline(cancelled(), hand, 'The drag').catch(() => undefined);
}

function nudged(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length <= NUDGE) return to;
  return { x: from.x + ((to.x - from.x) * NUDGE) / length, y: from.y + ((to.y - from.y) * NUDGE) / length };
}
