import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { limitDeadline, poll, raceDeadline } from '@pilothouse/core/time/deadlines';
import type { Frame, JSHandle } from 'playwright-core';
import type { ActionContext } from '../action-context.ts';
import { dragState, stopDragWatch, watchDrag, type DragState, type DragWatch } from '../injected/drag-watch.ts';

/** Maximum time for an effect to appear after the button came up. */
const DROP_END_MS = 500;

/** Documents of the press and the drop, and the observations of the drag in them. */
export interface DragDocuments {
  press: Frame | null;
  drop: Frame | null;
  readonly watches: JSHandle<DragWatch>[];
}

/** Ends observations. A busy page ends its observation once it answers. */
export function endWatches(watches: JSHandle<DragWatch>[]): void {
  for (const watch of watches.splice(0))
    watch
      .evaluate(stopDragWatch, undefined)
      .catch(() => undefined)
      .then(() => watch.dispose())
      .catch(() => undefined);
}

/** Starts to observe a drag. @throws PilothouseError STEP_TIMED_OUT if a busy page does not answer; the reason of the signal */
export async function startWatches(
  ctx: ActionContext,
  { press: pressed, drop, watches }: DragDocuments,
): Promise<void> {
  endWatches(watches);
  for (const frame of new Set([pressed, drop])) {
    const pending = frame?.locator('css=:root').evaluateHandle(watchDrag, undefined);
    try {
      if (pending) watches.push(await raceDeadline(pending, ctx, 'The drag'));
    } catch (error) {
      pending?.then((watch) => endWatches([watch])).catch(() => undefined);
      // The page may replace its document. The press then misses it.
      if (error instanceof PilothouseError) throw error;
    }
  }
  ctx.signal.throwIfAborted();
}

/**
 * Returns the effect of a drop that no element took, or that changed nothing; otherwise null.
 * @param isDrop false: the element is dragged by an offset, for example to select text
 */
export async function dropEffect(
  ctx: ActionContext,
  watches: readonly JSHandle<DragWatch>[],
  isDrop: boolean,
): Promise<ActionEffect | null> {
  const hasChanged = (state: DragState) => state.isDifferent || (!isDrop && state.isSelectionDifferent);
  const read = async () =>
    Promise.all(watches.map((watch) => raceDeadline(watch.evaluate(dragState, undefined), ctx, 'The drop')));
  const limit = limitDeadline(ctx, DROP_END_MS);
  let states: readonly DragState[] = [];
  let isSilent = false;
  let isReplaced = false;
  await poll(
    async () => {
      states = await read();
      const hasEnded = !states.some(({ isOpen }) => isOpen);
      return hasEnded && states.some((state) => state.effect !== null || hasChanged(state)) ? true : undefined;
    },
    limit,
    { everyMs: [20] },
  ).catch((error: unknown) => {
    if (error instanceof PilothouseError) isSilent = true;
    else isReplaced = true;
  });
  ctx.signal.throwIfAborted();
  // A drop may open another page.
  if (isReplaced) return null;
  if (watches.length === 0) return { effect: 'unverifiable' };
  if (isSilent) return { effect: 'unverifiable', effectReason: 'The page did not answer after the drop' };
  if (states.some(({ isRefused }) => isRefused) && !states.some(hasChanged))
    return { effect: 'unverifiable', effectReason: 'The page cancelled the drag, and nothing visible changed' };
  const effects = states.map(({ effect }) => effect).filter((effect) => effect !== null);
  if (effects.includes('none') && !states.some(({ hasMovedElements }) => hasMovedElements))
    return { effect: 'unverifiable', effectReason: 'No element took the drop: the page did not accept it there' };
  if (effects.length === 0 && !states.some(hasChanged))
    return { effect: 'unverifiable', effectReason: 'Nothing visible changed: the page may not follow the mouse there' };
  return null;
}
