import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { isAtAnchor, windowAtAnchor } from '@pilothouse/core/agent/goal-verification';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { runAction } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeWithRetry } from '../../observation/page-observer.ts';

/* Activates a background tab or window that has the expected title. */

/** Milliseconds for reading URL and title, and for bringing a tab or window to the front. */
const ANCHORS_TIMEOUT_MS = 2_000;
const SWITCH_TIMEOUT_MS = 1_000;

/** Errors of a missing tab or window, and of a surface without them. */
const missingErrors: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'STEP_TIMED_OUT',
  'ACTION_UNSUPPORTED',
]);

/**
 * Brings the tab or window of an anchor to the front, if another one is there.
 * @returns true if exactly one tab matches, or a window does
 * @throws the abort reason; errors that end an attempt
 */
export async function focusAnchor(anchor: string, surfaceKind: SurfaceKind, scope: ActionScope): Promise<boolean> {
  const { surface, clock, signal } = scope;
  const current = await readSurface(clock.monotonic() + ANCHORS_TIMEOUT_MS, scope, (context) =>
    surface.anchors(context),
  ).catch(() => null);
  signal.throwIfAborted();
  if (!current || isAtAnchor(anchor, current)) return false;
  const action: Action | null = surfaceTraits[surfaceKind].isPaged
    ? { action: 'switchTab', title: anchor }
    : await windowOf(anchor, scope);
  if (!action) return false;
  try {
    await runAction(action, SWITCH_TIMEOUT_MS, scope);
    return true;
  } catch (thrown) {
    signal.throwIfAborted();
    if (missingErrors.has(toPilothouseError(thrown).code)) return false;
    throw thrown;
  }
}

/** The window in the background that matches an anchor; null: none. */
async function windowOf(anchor: string, scope: ActionScope): Promise<Action | null> {
  const { windows = [] } = await observeWithRetry('interactive', scope);
  const window = windowAtAnchor(anchor, windows);
  return window && { action: 'switchWindow', ...(window.app !== '' && { app: window.app }), window: window.title };
}
