import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { limitDeadline, poll, raceDeadline } from '@pilothouse/core/time/deadlines';
import type { Frame } from 'playwright-core';
import type { ActionContext, ActionHandler } from '../action-context.ts';
import { evaluateOn, sendInput } from '../browser.input.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import {
  planScroll,
  scrollContainer,
  scrollIntoView,
  watchWheel,
  type ScrollDistance,
  type WheelWatch,
} from '../injected/scroll-page.ts';
import { fromLocator, type ElementRef } from '../pages/element-ref.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import { pointInPage } from '../targeting/pointed-element.ts';

/** Maximum time from the wheel event until the container moves. */
const MOVE_START_MS = 500;

/** Maximum time until the movement ends. Chromium may animate it. */
const MOVE_END_MS = 1500;

/** Probes of a position. Two equal positions in a row are its end. */
const POSITION_POLL_MS = [30] as const;

interface Scrolled {
  readonly ref: ElementRef;
  readonly frame: Frame;
}

/**
 * Scrolls an element into view, or turns the mouse wheel over an element or the page. Where the wheel does not reach the
 * container, or for an end, the container is scrolled by script.
 */
export const scroll: ActionHandler<'scroll'> = async (ctx, { target, by: offset, to: edge }) => {
  const match = target ? await waitForTarget(ctx, target, 'visible') : null;
  if (!match) await ctx.waitUntilSettled();
  const frame = match?.frame ?? ctx.page.mainFrame();
  const ref = match?.ref ?? fromLocator(ctx.page.locator('css=:root'));
  const located = match?.located ?? null;
  const unverified = (reason: string): ActionOutcome => ({ located, delivery: { status: 'unverified', reason } });
  if (!offset && !edge) {
    let isInView = false;
    await sendInput(ctx, 'Scrolling', async () => {
      isInView = await evaluateOn(ctx, ref, scrollIntoView, undefined, 'Scrolling');
      if (frame.parentFrame()) await pointInPage(frame, { x: 0, y: 0 }, false);
    });
    return isInView ? { located } : unverified('The element is out of view after scrolling; the page may move it away');
  }
  const distance = { x: offset?.x ?? 0, y: offset?.y ?? 0, edge: edge ?? null };
  const result = edge
    ? await scrollByScript(ctx, { ref, frame }, distance)
    : await turnWheel(ctx, { ref, frame }, distance);
  if (result === 'no container' && offset && target) {
    const { point } = await waitForTarget(ctx, target, 'input');
    await sendWheel(ctx, point, distance);
    return { located };
  }
  return result === 'unmoved' ? unverified('The page did not move, although it can scroll that way') : { located };
};

type ScrollResult = 'moved' | 'unmoved' | 'no container';

const positionOf = (ctx: ActionContext, ref: ElementRef, distance: ScrollDistance) =>
  evaluateOn(ctx, ref, planScroll, distance, 'Scrolling');

async function scrollByScript(ctx: ActionContext, { ref }: Scrolled, distance: ScrollDistance): Promise<ScrollResult> {
  let hasMoved: boolean | null = null;
  await sendInput(ctx, 'Scrolling', async () => {
    hasMoved = await evaluateOn(ctx, ref, scrollContainer, distance, 'Scrolling');
  });
  if (hasMoved === null) return 'no container';
  return hasMoved ? 'moved' : 'unmoved';
}

/** Turns the wheel over the container. A page that handles the event decides what moves. */
async function turnWheel(ctx: ActionContext, scrolled: Scrolled, distance: ScrollDistance): Promise<ScrollResult> {
  const { ref, frame } = scrolled;
  const plan = await positionOf(ctx, ref, distance);
  const point = plan.point && (await raceDeadline(pointInPage(frame, plan.point, true), ctx, 'Scrolling'));
  if (!point || 'covered' in point) {
    if (!plan.hasContainer) return 'no container';
    if (!plan.canMove) return 'moved';
    return scrollByScript(ctx, scrolled, distance);
  }
  const watch = await raceDeadline(
    frame.locator('css=:root').evaluateHandle(watchWheel, undefined),
    ctx,
    'The mouse wheel',
  );
  try {
    await sendWheel(ctx, point, distance);
    if (!plan.canMove) return 'moved';
    return await moveResult();
  } finally {
    await watch.evaluate(stopWatch, undefined).catch(() => undefined);
    await watch.dispose().catch(() => undefined);
  }

  async function moveResult(): Promise<ScrollResult> {
    const read = async () => {
      const [state, { position }] = await Promise.all([
        watch.evaluate(wheelState, undefined),
        positionOf(ctx, ref, distance),
      ]);
      return { state, position };
    };
    try {
      const outcome = await poll(
        async () => {
          const { state, position } = await read();
          if (position !== plan.position) return 'moved';
          return state === 'handled' ? 'handled' : undefined;
        },
        limitDeadline(ctx, MOVE_START_MS),
        { everyMs: POSITION_POLL_MS },
      );
      if (outcome === 'handled') return 'moved';
      if (!outcome) return await scrollByScript(ctx, scrolled, distance);
      let previous = '';
      await poll(
        async () => {
          const { position } = await read();
          const isStable = position === previous;
          previous = position;
          return isStable || undefined;
        },
        limitDeadline(ctx, MOVE_END_MS),
        { everyMs: POSITION_POLL_MS },
      );
      return 'moved';
    } catch (error) {
      ctx.signal.throwIfAborted();
      // The wheel replaced the document or removed the element.
      if (ctx.page.isClosed() || frame.isDetached() || !ctx.tab.isSettled) return 'moved';
      throw error;
    }
  }
}

const wheelState = pageFunction((watch: WheelWatch, _: undefined) =>
  watch.event === null ? 'none' : watch.event.defaultPrevented ? 'handled' : 'seen',
);
const stopWatch = pageFunction((watch: WheelWatch, _: undefined) => watch.stop());

async function sendWheel(
  ctx: ActionContext,
  point: { readonly x: number; readonly y: number },
  { x, y }: ScrollDistance,
): Promise<void> {
  const { mouse } = ctx.page;
  await sendInput(ctx, 'The mouse wheel', async () => {
    await mouse.move(point.x, point.y);
    await mouse.wheel(x, y);
  });
}
