import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { limitDeadline, poll, raceDeadline } from '@pilothouse/core/time/deadlines';
import type { Frame, JSHandle } from 'playwright-core';
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

/** Maximum time until a page changes at the end of its container. */
const CHANGE_MS = 200;

/** Maximum time until the movement ends. Chromium may animate it. */
const MOVE_END_MS = 1500;

/** Maximum time to end the observation of the wheel. */
const STOP_MS = 250;

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
  const unverifiable = (reason: string): ActionOutcome => ({ located, effect: 'unverifiable', effectReason: reason });
  if (!offset && !edge) {
    let isInView = false;
    await sendInput(ctx, 'Scrolling', async () => {
      isInView = await evaluateOn(ctx, ref, scrollIntoView, undefined, 'Scrolling');
      if (frame.parentFrame()) await pointInPage(frame, { x: 0, y: 0 }, false);
    });
    return isInView
      ? { located }
      : unverifiable('The element is out of view after scrolling; the page may move it away');
  }
  const distance = { x: offset?.x ?? 0, y: offset?.y ?? 0, edge: edge ?? null };
  const result = edge
    ? await scrollByScript(ctx, { ref, frame }, distance)
    : await turnWheel(ctx, { ref, frame }, distance);
  if (result === 'no container' && offset && target) {
    const { point } = await waitForTarget(ctx, target, 'input');
    const watch = await watchedWheel(ctx, frame);
    try {
      await sendWheel(ctx, point, distance);
      const isSeen = await poll(
        async () => (await readWheel(ctx, watch)).isChanged || undefined,
        limitDeadline(ctx, MOVE_START_MS),
        { everyMs: POSITION_POLL_MS },
        // The wheel replaced the document. Without an answer, nothing is known.
      ).catch((error: unknown) => !(error instanceof PilothouseError));
      ctx.signal.throwIfAborted();
      return isSeen ? { located } : unverifiable(REASONS.handled);
    } finally {
      await stopWatching(ctx, watch);
    }
  }
  if (result === 'moved') return { located };
  const isAtEnd = result === 'ended' || result === 'no container';
  return isAtEnd ? { located, effect: 'none', effectReason: REASONS[result] } : unverifiable(REASONS[result]);
};

/** Reasons why the effect is not certain. */
const REASONS = {
  unmoved: 'The page did not move, or it moved back, although it can scroll that way',
  handled: 'The page handled the mouse wheel itself, and nothing visible changed',
  ended: 'Nothing moved: nothing can scroll further that way',
  'no container': 'Nothing moved: nothing can scroll that way',
} as const;

type ScrollResult = 'moved' | keyof typeof REASONS;

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
    if (!plan.canMove) return 'ended';
    return scrollByScript(ctx, scrolled, distance);
  }
  const watch = await watchedWheel(ctx, frame);
  try {
    await sendWheel(ctx, point, distance);
    return await moveResult();
  } finally {
    await stopWatching(ctx, watch);
  }

  async function moveResult(): Promise<ScrollResult> {
    const read = async () => {
      const [state, { position, extent }] = await Promise.all([readWheel(ctx, watch), positionOf(ctx, ref, distance)]);
      return { state, position, extent };
    };
    try {
      const outcome = await poll(
        async () => {
          const { state, position, extent } = await read();
          if (position !== plan.position) return 'moved';
          // A page that handles the wheel may move its content itself. A page at its end may load more; a clock or a ticker is no effect.
          const hasGrown = !plan.canMove && state.hasAdded && extent !== plan.extent;
          return (state.isHandled && state.isChanged) || hasGrown ? 'changed' : undefined;
        },
        limitDeadline(ctx, plan.canMove ? MOVE_START_MS : CHANGE_MS),
        { everyMs: POSITION_POLL_MS },
      );
      if (outcome === 'changed') return 'moved';
      if (!outcome) {
        const { state } = await read();
        if (state.isHandled) return 'handled';
        return plan.canMove ? await scrollByScript(ctx, scrolled, distance) : 'ended';
      }
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
      return previous === plan.position ? 'unmoved' : 'moved';
    } catch (error) {
      ctx.signal.throwIfAborted();
      // The wheel replaced the document or removed the element.
      if (ctx.page.isClosed() || frame.isDetached() || !ctx.tab.isSettled) return 'moved';
      throw error;
    }
  }
}

const watchedWheel = (ctx: ActionContext, frame: Frame) =>
  raceDeadline(frame.locator('css=:root').evaluateHandle(watchWheel, undefined), ctx, 'The mouse wheel');

/** Ends the observation. A busy page ends it once it answers. */
async function stopWatching(ctx: ActionContext, watch: JSHandle<WheelWatch>): Promise<void> {
  const stop = async () => {
    await watch.evaluate(stopWatch, undefined).catch(() => undefined);
    await watch.dispose();
  };
  await raceDeadline(stop(), limitDeadline(ctx, STOP_MS), 'The mouse wheel').catch(() => undefined);
}

const readWheel = (ctx: ActionContext, watch: JSHandle<WheelWatch>) =>
  raceDeadline(watch.evaluate(wheelState, undefined), ctx, 'The mouse wheel');

const wheelState = pageFunction(({ event, isChanged, hasAdded }: WheelWatch, _: undefined) => ({
  isHandled: event?.defaultPrevented === true,
  isChanged,
  hasAdded,
}));
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
