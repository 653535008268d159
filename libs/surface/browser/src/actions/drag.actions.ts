import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { limitDeadline, raceDeadline, remainingMs, delayWithin } from '@pilothouse/core/time/deadlines';
import type { ElementHandle, Frame, JSHandle } from 'playwright-core';
import { sendInput } from '../browser.input.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import type { Aim, LocatedTarget } from '../targeting/located-target.ts';
import { pointWithin } from '../targeting/pointed-element.ts';
import { MIN_RETRY_MS, press, type Point } from '../targeting/hit-target.ts';
import { dropHit, elementsAtPoint, type DropCheck, type CrossedElement } from '../injected/drop-target.ts';
import { dropEffect, endWatches, startWatches, type DragDocuments } from './drag-effect.ts';
import type { ActionContext, ActionHandler } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

/** Distance of the first move. Most pages treat a smaller one as a click. */
const NUDGE_PX = 8;

/** Move events on each half of the distance. Pages that follow the pointer handle each one. */
const MOVE_STEPS = 6;

/** Time for an element that covers the drop point to disappear while the button is held. */
const UNCOVER_TIMEOUT_MS = 500;

/** Time to get a handle of the dragged element, which the page may have removed. */
const SOURCE_HANDLE_TIMEOUT_MS = 500;

const DROP_CHECK_INTERVAL_MS = 50;
const DRAG_RETRY_DELAY_MS = 250;

/** Waits for the page to handle the moves so far. Some pages set drop markers only in the next frame. */
const nextFrame = pageFunction(async () => {
  await new Promise<void>((resolve) => {
    // A page that is not painted has no animation frames.
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
 * Drags an element onto another one with the mouse. Chromium turns this into HTML drag and drop where the page uses
 * it. If another element would receive the drop, the drag is cancelled and retried. The guard runs twice: before the
 * button goes down and before it comes up.
 */
export const drag: ActionHandler<'drag'> = async (ctx, action) => {
  for (;;) {
    const { located, failure, effect } = await dragOnce(ctx, action);
    if (failure === null) return { located, ...effect };
    if (remainingMs(ctx) < MIN_RETRY_MS + DRAG_RETRY_DELAY_MS) {
      const { locator, reason } = failure;
      throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${locator} is there, but ${reason}; nothing was dropped`, {
        details: { ...failure },
      });
    }
    await delayWithin(DRAG_RETRY_DELAY_MS, ctx);
  }
};

interface DragAttempt {
  readonly located: ActionOutcome['located'];
  /** Reason why nothing was dropped; null after a drop. */
  readonly failure: { readonly locator: string; readonly reason: string } | null;
  /** Set after a drop without a visible effect. */
  readonly effect: ActionEffect | null;
}

async function dragOnce(ctx: ActionContext, action: ActionOf<'drag'>): Promise<DragAttempt> {
  const documents: DragDocuments = { press: null, drop: null, watches: [] };
  try {
    return await dragFrom(ctx, action, documents);
  } finally {
    endWatches(documents.watches);
  }
}

async function dragFrom(
  ctx: ActionContext,
  { target, fromPosition, to: drop, position, by: distance }: ActionOf<'drag'>,
  documents: DragDocuments,
): Promise<DragAttempt> {
  // Scroll before the button is held, so that the page does not move during the drag if both elements fit. Nothing
  // may cover the drop target now; later the dragged element may.
  const dropTarget = drop && (await waitForTarget(ctx, drop, 'drop', { position }));
  documents.drop = dropTarget?.frame ?? null;
  const { mouse } = ctx.page;
  const move = (point: Point, steps: number) => raceDeadline(mouse.move(point.x, point.y, { steps }), ctx, 'The drag');
  const find = async (aim: Aim) => {
    const found = await waitForTarget(ctx, target, 'input', { ...aim, position: fromPosition });
    documents.press = found.frame;
    return found;
  };
  const match = await press(ctx, find, {
    isSubmitting: true,
    subject: 'The drag',
    send: async ({ x, y }) => {
      await mouse.move(x, y);
      await startWatches(ctx, documents);
      // A press after the deadline would belong to the next step.
      if (remainingMs(ctx) === 0)
        throw new PilothouseError('STEP_TIMED_OUT', 'The drag did not start: the page is busy');
      await mouse.down();
    },
    release: () => mouse.up(),
  });
  const { point: start, located } = match;
  let cover: string | null = null;
  try {
    const source = await raceDeadline(
      match.ref.related(firstElement, undefined),
      limitDeadline(ctx, SOURCE_HANDLE_TIMEOUT_MS),
      'The drag',
    ).catch(() => null);
    const locateDrop = drop && (() => waitForTarget(ctx, drop, 'point', { position }));
    const end = locateDrop
      ? (await locateDrop()).point
      : { x: start.x + (distance?.x ?? 0), y: start.y + (distance?.y ?? 0) };
    await move(nudgePoint(start, end), 2);
    await waitForFrame(ctx);
    const midpoint = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
    await move(midpoint, MOVE_STEPS);
    await waitForFrame(ctx);
    const crossed = dropTarget && (await elementsAtMidpoint(ctx, dropTarget.frame, midpoint));
    await move(end, MOVE_STEPS);
    await waitForFrame(ctx);
    if (locateDrop)
      cover = await moveToDropPoint(ctx, locateDrop, (dropTarget, point) =>
        coverOf(ctx, dropTarget, point, { match, source, crossed }),
      );
    else {
      await move(end, 2);
      await waitForFrame(ctx);
    }
    for (const handle of [source, crossed?.crossed]) handle?.dispose().catch(() => undefined);
  } catch (error) {
    await cancel(ctx, start);
    throw error;
  }
  if (cover === null) await sendInput(ctx, 'The drop', () => mouse.up());
  else await cancel(ctx, start);
  const effect = cover === null ? await dropEffect(ctx, documents.watches, dropTarget !== undefined) : null;
  const ends = dropTarget?.located.alternatives;
  const failure = cover === null ? null : { locator: dropTarget?.located.locator ?? '', reason: cover };
  return { located: { ...located, ...(ends && { ends }) }, failure, effect };
}

const firstElement = ([element]: Element[]): Element | null => element ?? null;

const waitForFrame = (ctx: ActionContext) =>
  raceDeadline(ctx.page.locator('css=:root').evaluateAll(nextFrame, undefined), ctx, 'The drag');

/**
 * Moves the pointer over the drop target and follows it, because the dragged element may move other elements.
 * @param coverAt describes what would receive a drop at the point instead
 * @returns description of the covering element, or null
 */
async function moveToDropPoint(
  ctx: ActionContext,
  locateDrop: () => Promise<LocatedTarget>,
  coverAt: (dropTarget: LocatedTarget, point: Point) => Promise<string | null>,
): Promise<string | null> {
  const uncoverDeadline = limitDeadline(ctx, UNCOVER_TIMEOUT_MS);
  let pointer: Point | null = null;
  for (;;) {
    const over = await locateDrop();
    const { point } = over;
    if (!pointer || Math.hypot(pointer.x - point.x, pointer.y - point.y) > 1) {
      await raceDeadline(ctx.page.mouse.move(point.x, point.y, { steps: 2 }), ctx, 'The drag');
      await waitForFrame(ctx);
      pointer = point;
    }
    const cover = await coverAt(over, pointer);
    if (cover === null || remainingMs(uncoverDeadline) === 0) return cover;
    await delayWithin(DROP_CHECK_INTERVAL_MS, ctx);
  }
}

interface DragSource {
  readonly match: LocatedTarget;
  readonly source: ElementHandle<Element> | null;
  readonly crossed: DragMidpoint | undefined;
}

/** Elements under the pointer halfway through a drag. */
interface DragMidpoint {
  readonly frame: Frame;
  readonly point: Point;
  readonly crossed: JSHandle<CrossedElement[]>;
}

async function elementsAtMidpoint(ctx: ActionContext, frame: Frame, midpoint: Point): Promise<DragMidpoint> {
  const point = await raceDeadline(pointWithin(frame, midpoint), ctx, 'The drag');
  const pending = frame.locator('css=:root').evaluateHandle(elementsAtPoint, point);
  return { frame, point: midpoint, crossed: await raceDeadline(pending, ctx, 'The drag') };
}

async function coverOf(
  ctx: ActionContext,
  dropTarget: LocatedTarget,
  pointer: Point,
  { match, source, crossed: midpoint }: DragSource,
): Promise<string | null> {
  const { frame, ref } = dropTarget;
  const point = await raceDeadline(pointWithin(frame, pointer), ctx, 'The drag');
  // Over a short distance, every element seems to follow the pointer.
  const isFar =
    midpoint?.frame === frame && Math.hypot(midpoint.point.x - pointer.x, midpoint.point.y - pointer.y) > 2 * NUDGE_PX;
  const check = { point, source: match.frame === frame ? source : null, crossed: isFar ? midpoint.crossed : [] };
  return raceDeadline(ref.evaluateAll(dropHit, check as unknown as DropCheck), ctx, 'The drag');
}

/**
 * Cancels a drag where it began. Escape ends HTML drag and drop before the button comes up, so no element receives
 * the drop. The page receives neither the key nor the click that ends a mouse drag.
 */
async function cancel(ctx: ActionContext, { x, y }: Point): Promise<void> {
  if (ctx.signal.aborted) return;
  const { tab } = ctx;
  const { mouse, keyboard } = ctx.page;
  const cancelSequence = async () => {
    await tab.interceptors.mute();
    await keyboard.press('Escape');
    await mouse.move(x, y);
    await mouse.up();
    await tab.interceptors.disarm();
  };
  await raceDeadline(cancelSequence(), ctx, 'The drag').catch(() => undefined);
}

function nudgePoint(start: Point, end: Point): Point {
  const length = Math.hypot(end.x - start.x, end.y - start.y);
  if (length <= NUDGE_PX) return end;
  return { x: start.x + ((end.x - start.x) * NUDGE_PX) / length, y: start.y + ((end.y - start.y) * NUDGE_PX) / length };
}
