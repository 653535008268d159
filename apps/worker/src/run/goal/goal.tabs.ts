import { toPilothouseError, type ErrorCode } from '@pilothouse/contract';
import { isAtAnchor } from '@pilothouse/core';
import { runAction, readSurface, type ActionScope } from '../act.ts';

/** Milliseconds for asking where the surface is, and for finding a tab that is there already. */
const ANCHORS_MS = 2_000;
const SWITCH_MS = 1_000;

/** How a surface says that there is no such tab, or that it has none. */
const missing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'STEP_TIMED_OUT',
  'ACTION_UNSUPPORTED',
]);

/**
 * Brings the tab to front whose title has this, when another one is in front.
 * @returns whether there was one, and only one
 * @throws the reason of `halt`; what ends an attempt
 */
export async function focusTab(title: string, parts: ActionScope): Promise<boolean> {
  const { surface, clock, halt } = parts;
  const here = await readSurface(clock.monotonic() + ANCHORS_MS, parts, (context) => surface.anchors(context)).catch(
    () => null,
  );
  halt.throwIfAborted();
  if (!here || isAtAnchor(title, here)) return false;
  try {
    await runAction({ action: 'switchTab', title }, SWITCH_MS, parts);
    return true;
  } catch (thrown) {
    halt.throwIfAborted();
    if (missing.has(toPilothouseError(thrown).code)) return false;
    throw thrown;
  }
}
