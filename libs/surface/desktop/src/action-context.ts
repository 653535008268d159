import type { ActionName, ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome, ActionServices, Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { SurfaceFile } from '@pilothouse/core/ports/surface.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { poll } from '@pilothouse/core/time/deadlines';
import type { Timers } from '@pilothouse/core/time/timers';
import type { AccessibleRef } from './accessibility/accessibility-bus.ts';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { textFieldRoles } from './accessibility/roles.ts';
import type { DesktopScreen, DesktopTarget } from './desktop.screen.ts';
import type { TargetUse } from './targeting/element-choice.ts';
import type { WindowFacts } from './x/window-manager.ts';
import type { ExpectedWindow } from './session/expected-window.ts';
import { optionsOf, type SessionClient } from './session/session-client.ts';

/** Services of one action. */
export interface DesktopActionContext extends ActionServices {
  readonly session: SessionClient;
  readonly screen: DesktopScreen;
  /** Window that the next text without a target goes to. */
  readonly expectedWindow: ExpectedWindow;
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

/** Milliseconds of the step that stay to report a window that covers the target. */
const COVER_RESERVE_MS = 500;

/**
 * Locates a target, brings its window to the front, and waits until it is the topmost one at that point.
 * @param use what the action does with the element; it decides between several matches
 * @throws PilothouseError TARGET_NOT_ACTIONABLE if another window covers it at the deadline
 */
export async function locateForPointer(
  context: DesktopActionContext,
  target: Target,
  use?: TargetUse,
): Promise<DesktopTarget> {
  let problem = '';
  let lastCoverId: number | null = null;
  // The last search has time to report the cover.
  const limits = { ...context, deadline: context.deadline - COVER_RESERVE_MS };
  const visible = await poll(async () => {
    const found = await locateInFront(context, target, use);
    const cover = found.window && (await coverOf(context, found.point));
    if (!found.window || !cover) return found;
    problem = `${found.located.locator} is covered by the window ${JSON.stringify(cover.title)}; close it, or move it with \`setWindow\``;
    if (cover.id !== lastCoverId) {
      // A message box may have the focus and be below another window.
      lastCoverId = cover.id;
      context.guard();
      await context.session.call('activate', { id: found.window.id }, optionsOf(context));
    }
    return undefined;
  }, limits);
  if (visible) return visible;
  throw new PilothouseError('TARGET_NOT_ACTIONABLE', problem);
}

async function locateInFront(context: DesktopActionContext, target: Target, use?: TargetUse): Promise<DesktopTarget> {
  const found = await context.screen.locate(target, context, use);
  if (!found.window || found.window.isActive) return found;
  context.guard();
  await context.session.call('activate', { id: found.window.id }, optionsOf(context));
  // It may have moved, and the element with it.
  return context.screen.locate(target, context, use);
}

/** The window at a point, if it is not the active one. */
async function coverOf(context: DesktopActionContext, point: DesktopTarget['point']): Promise<WindowFacts | undefined> {
  const [top, windows] = await Promise.all([
    context.session.call('windowAt', point, optionsOf(context)),
    context.session.call('windows', null, optionsOf(context)),
  ]);
  return windows.find(({ id, isActive }) => id === top && !isActive);
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
