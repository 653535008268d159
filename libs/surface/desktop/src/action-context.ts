import type { ActionName, ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome, ActionServices, Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { SurfaceFile } from '@pilothouse/core/ports/surface.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import type { Timers } from '@pilothouse/core/time/timers';
import type { AccessibleRef } from './accessibility/accessibility-bus.ts';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { textFieldRoles } from './accessibility/roles.ts';
import type { DesktopScreen, DesktopTarget } from './desktop.screen.ts';
import type { CallOptions, SessionClient } from './session/session-client.ts';

/** Services of one action. */
export interface DesktopActionContext extends ActionServices {
  readonly session: SessionClient;
  readonly screen: DesktopScreen;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Folder of the attempt for files that the run keeps. */
  readonly filesFolder: string;
  /** Reports a file in that folder, which becomes an artifact. */
  onFile(file: SurfaceFile): void;
  screenshot(): Promise<Screenshot>;
}

/** Performs one action. */
export type DesktopHandler<Name extends ActionName> = (
  context: DesktopActionContext,
  action: ActionOf<Name>,
) => Promise<ActionOutcome>;

/** Limits of a session call: the step's remaining time, at least one second. */
export const optionsOf = (context: Deadline): CallOptions => ({
  signal: context.signal,
  timeoutMs: Math.max(1_000, remainingMs(context)),
});

/**
 * Locates a target, brings its window to the front, and verifies that it is the topmost one at that point.
 * @throws PilothouseError TARGET_NOT_ACTIONABLE if another window covers it
 */
export async function locateForPointer(context: DesktopActionContext, target: Target): Promise<DesktopTarget> {
  let found = await context.screen.locate(target, context);
  if (!found.window) return found;
  if (!found.window.isActive) {
    context.guard();
    await context.session.call('activate', { id: found.window.id }, optionsOf(context));
    // It may have moved, and the element with it.
    found = await context.screen.locate(target, context);
  }
  const [top, windows] = await Promise.all([
    context.session.call('windowAt', found.point, optionsOf(context)),
    context.session.call('windows', null, optionsOf(context)),
  ]);
  const covering = windows.find(({ id, isActive }) => id === top && !isActive);
  if (covering)
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `${found.located.locator} is covered by the window ${JSON.stringify(covering.title)}`,
    );
  return found;
}

/** Point at an offset from the top left corner of a target; the target itself if it is a point. */
export function offsetBy(
  { element, point }: DesktopTarget,
  position: { x: number; y: number },
): { x: number; y: number } {
  return element
    ? { x: Math.round(element.bounds.x + position.x), y: Math.round(element.bounds.y + position.y) }
    : point;
}

/** Clicks a point, or the point of a target, once with the left button. */
export async function clickAt(
  context: DesktopActionContext,
  { point, element = null }: Pick<DesktopTarget, 'point'> & Partial<Pick<DesktopTarget, 'element'>>,
): Promise<void> {
  await context.session.call(
    'click',
    { point, button: 'left', count: 1, modifiers: [], window: null, source: null, field: pageFieldOf(element) },
    optionsOf(context),
  );
}

/** Text field of a page; null for other elements. Chromium gives it the focus only after it has processed the click. */
export const pageFieldOf = (element: DesktopElement | null): AccessibleRef | null =>
  element?.node.page && textFieldRoles.has(element.role) ? { bus: element.node.bus, path: element.node.path } : null;
