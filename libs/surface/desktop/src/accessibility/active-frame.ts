import type { WindowFacts } from '../x/window-manager.ts';
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

/**
 * Finds the frame of an X window: the application by its process id, the frame by its state or title. Chromium never sets ACTIVE.
 * @returns null if the application publishes no accessible objects
 */
export async function findFrame(
  bus: AccessibilityBus,
  window: WindowFacts,
  timeoutMs: number,
): Promise<ActiveFrame | null> {
  const applications = await bus.applications(timeoutMs);
  const candidates = await Promise.all(
    applications.map(async (application) => {
      const pid = await bus.pidOf(application.bus, timeoutMs).catch(() => null);
      return pid === window.pid ? application : null;
    }),
  );
  for (const application of candidates.filter((candidate) => candidate !== null)) {
    const found = await frameOf(bus, application, window, timeoutMs).catch(() => null);
    if (found) return found;
  }
  return null;
}

async function frameOf(
  bus: AccessibilityBus,
  application: AccessibleRef,
  window: WindowFacts,
  timeoutMs: number,
): Promise<ActiveFrame | null> {
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
  const scored = frames
    .map((facts, index) => ({ child: facts.child, score: scoreOf(facts, sizes[index] ?? null, window) }))
    .toSorted((first, second) => second.score - first.score);
  const [frame] = frames.length === 1 ? scored : scored.filter(({ score }) => score > 0);
  if (!frame) return null;
  return {
    application,
    frame: frame.child,
    popups: popups.map(({ child }) => child),
    strategy: strategyOf(toolkit, version, window.appId),
  };
}

/** Pixels by which the frame of some toolkits is larger than the window: GTK and LibreOffice count the title bar. */
const MAX_DECORATION_PX = 60;

/** A dialog and its question can have one title, and both be active: the size decides between them. */
function scoreOf(
  { name, states }: { readonly name: string; readonly states: StateSet },
  extents: Extents | null,
  { title, bounds }: WindowFacts,
): number {
  const isSize = (actual: number, wanted: number) => actual >= wanted - 2 && actual <= wanted + MAX_DECORATION_PX;
  const isSized = extents !== null && isSize(extents.width, bounds.width) && isSize(extents.height, bounds.height);
  return (name === title ? 4 : 0) + (hasState(states, 'active') ? 2 : 0) + (isSized ? 5 : 0);
}
