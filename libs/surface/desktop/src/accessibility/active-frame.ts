import type { WindowFacts, WindowManager } from '../x/window-manager.ts';
import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import { atspiRoles } from './roles.ts';
import { hasState, type StateSet } from './states.ts';
import { strategyOf, type ReadStrategy } from './read-strategy.ts';

/** The accessible objects that belong to a window. */
export interface ActiveFrame {
  readonly application: AccessibleRef;
  readonly frame: AccessibleRef;
  /** Menus and other windows of the application without a frame. */
  readonly popups: readonly AccessibleRef[];
  readonly strategy: ReadStrategy;
}

const popupRoles: ReadonlySet<number> = new Set([atspiRoles.popupMenu, atspiRoles.window]);

/** Milliseconds for an application to publish the frame of a new window, and between two checks. */
const REGISTRATION_TIMEOUT_MS = 500;
const REGISTRATION_INTERVAL_MS = 20;

/** Windows of the screen, of which several can belong to one application. */
export type WindowList = Pick<WindowManager, 'list'>;

/**
 * Finds the frame of an X window: the application by its process id, the frame by its state or title. Chromium never sets ACTIVE.
 * An application may publish the frame of a new window late. Until then no frame of another window is taken for it.
 * @returns null if the application publishes no accessible objects, or not those of the window
 */
export async function findFrame(
  bus: AccessibilityBus,
  windows: WindowList,
  window: WindowFacts,
  timeoutMs: number,
): Promise<ActiveFrame | null> {
  const registeredBy = bus.timers.monotonic() + Math.min(timeoutMs, REGISTRATION_TIMEOUT_MS);
  for (;;) {
    const listed = await windows.list();
    const siblings = listed.filter(({ id, pid }) => id !== window.id && pid === window.pid);
    const found = await findPublishedFrame(bus, window, siblings, timeoutMs);
    if (found !== 'missing') return found;
    if (bus.timers.monotonic() >= registeredBy) return null;
    await bus.timers.delay(REGISTRATION_INTERVAL_MS);
  }
}

/** @returns `missing` if the application publishes only frames of its other windows */
async function findPublishedFrame(
  bus: AccessibilityBus,
  window: WindowFacts,
  siblings: readonly WindowFacts[],
  timeoutMs: number,
): Promise<ActiveFrame | 'missing' | null> {
  const applications = await bus.applications(timeoutMs);
  const candidates = await Promise.all(
    applications.map(async (application) => {
      const pid = await bus.pidOf(application.bus, timeoutMs).catch(() => null);
      return pid === window.pid ? application : null;
    }),
  );
  let isMissing = false;
  for (const application of candidates.filter((candidate) => candidate !== null)) {
    const found = await frameOf(bus, application, window, siblings, timeoutMs).catch(() => null);
    if (found === 'missing') isMissing = true;
    else if (found) return found;
  }
  return isMissing ? 'missing' : null;
}

async function frameOf(
  bus: AccessibilityBus,
  application: AccessibleRef,
  window: WindowFacts,
  siblings: readonly WindowFacts[],
  timeoutMs: number,
): Promise<ActiveFrame | 'missing' | null> {
  const [toolkit, version, children] = await Promise.all([
    bus.toolkitName(application, timeoutMs).catch(() => ''),
    bus.toolkitVersion(application, timeoutMs).catch(() => ''),
    bus.children(application, timeoutMs),
  ]);
  const facts = await Promise.all(
    children.map(async (child) => ({
      child,
      role: await bus.role(child, timeoutMs),
      name: await bus.name(child, timeoutMs),
      states: await bus.states(child, timeoutMs),
    })),
  );
  const popups = facts.filter(
    ({ role, states, name }) => popupRoles.has(role) && hasState(states, 'showing') && name !== window.title,
  );
  const frames = facts.filter(
    ({ role, child }) => role !== atspiRoles.toolTip && !popups.some((popup) => popup.child === child),
  );
  const sizes = await Promise.all(frames.map(({ child }) => bus.extents(child, timeoutMs).catch(() => null)));
  const published = frames.map((frame, index) => ({ ...frame, extents: sizes[index] ?? null }));
  const own = withoutSiblings(published, window, siblings);
  const scored = own
    .map((frame) => ({ child: frame.child, score: scoreOf(frame, window) }))
    .toSorted((first, second) => second.score - first.score);
  const [frame] = published.length === 1 ? scored : scored.filter(({ score }) => score > 0);
  if (!frame) return own.length < published.length ? 'missing' : null;
  return {
    application,
    frame: frame.child,
    popups: popups.map(({ child }) => child),
    strategy: strategyOf(toolkit, version, window.appId),
  };
}

/** Facts of a frame that an application publishes. */
interface PublishedFrame {
  readonly name: string;
  readonly states: StateSet;
  /** Null if the application reports none. */
  readonly extents: Extents | null;
}

/**
 * Removes the frames of an application's other windows: those with the title of another window only. If fewer frames than windows have the
 * title of this window, also those that are not nearest to it.
 */
export function withoutSiblings<Frame extends PublishedFrame>(
  frames: readonly Frame[],
  window: WindowFacts,
  siblings: readonly WindowFacts[],
): Frame[] {
  const own = frames.filter(
    ({ name }) => name === '' || name === window.title || !siblings.some(({ title }) => title === name),
  );
  const namesakes = siblings.filter(({ title }) => title === window.title);
  const named = own.filter(({ name }) => name === window.title);
  if (named.length > namesakes.length) return own;
  return own.filter((frame) => {
    const { name, extents } = frame;
    if (name !== window.title) return true;
    return (
      extents !== null &&
      namesakes.every(({ bounds }) => distanceOf(extents, window.bounds) < distanceOf(extents, bounds))
    );
  });
}

/** Pixels between the left upper corners. */
const distanceOf = (extents: Extents, bounds: WindowFacts['bounds']): number =>
  Math.abs(extents.x - bounds.x) + Math.abs(extents.y - bounds.y);

/** Pixels by which the frame of some toolkits is larger than the window: GTK and LibreOffice count the title bar. */
const MAX_DECORATION_PX = 60;

/** A dialog and its question can have one title, and both be active: the size decides between them. */
function scoreOf({ name, states, extents }: PublishedFrame, { title, bounds }: WindowFacts): number {
  const isSize = (actual: number, wanted: number) => actual >= wanted - 2 && actual <= wanted + MAX_DECORATION_PX;
  const isSized = extents !== null && isSize(extents.width, bounds.width) && isSize(extents.height, bounds.height);
  return (name === title ? 4 : 0) + (hasState(states, 'active') ? 2 : 0) + (isSized ? 5 : 0);
}
