import { findFrame, type ActiveFrame } from '../accessibility/active-frame.ts';
import type { AccessibilityBus, AccessibleRef } from '../accessibility/accessibility-bus.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import { alignGtk4Nodes } from '../accessibility/gtk4-nodes.ts';
import {
  alignLibreOfficeNodes,
  namedStatusItems,
  withFieldLabels,
  withToolbarMenus,
} from '../accessibility/libreoffice-nodes.ts';
import type { ToolkitKind } from '../accessibility/read-strategy.ts';
import { collectionMatches } from '../accessibility/collection-matches.ts';
import { WHOLE_WINDOW, type ReadNeed } from '../accessibility/read-need.ts';
import { readMenu, readTree } from '../accessibility/tree-reader.ts';
import { readWindowText, type WindowText } from '../accessibility/window-text.ts';
import type { SheetCells } from '../accessibility/sheet-cells.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { BrowserPages } from '../chromium/browser-pages.ts';
import type { WindowTree } from '../session/session-protocol.ts';
import type { Session } from '../process/start-session.ts';

/** Milliseconds for a window to answer a ping before it counts as hung. */
const PING_TIMEOUT_MS = 100;

/** Part of the deadline that a busy application has for the ping instead. */
const PING_PART = 0.1;

/** Part of the deadline for a page to give its text. The rest is for the accessibility bus. */
const PAGE_TEXT_PART = 0.5;

/** Readers of a session's accessible objects. */
export interface AccessibilityReaders {
  readonly bus: AccessibilityBus;
  readonly sheets: SheetCells;
}

/** Parts of a window that are read. */
export interface ObserveOptions {
  /** Reads pages of web browsers; null: they are read through the accessibility bus, too. */
  readonly pages?: BrowserPages | null;
  /** Default: every object. */
  readonly need?: ReadNeed;
  /** Reads only the shown entries below this menu; null: the whole window. */
  readonly menu?: AccessibleRef | null;
}

/**
 * Reads a window within the deadline. A hung application costs the deadline of a ping only, and nothing if no object of it is needed.
 * @param windowId null: the active window
 */
export async function observeWindow(
  session: Pick<Session, 'windows' | 'ping' | 'timers'>,
  { bus, sheets }: AccessibilityReaders,
  deadlineMs: number,
  windowId: number | null,
  { pages = null, need = WHOLE_WINDOW, menu = null }: ObserveOptions = {},
): Promise<WindowTree> {
  const { timers } = session;
  const startedAt = timers.monotonic();
  const remainingMs = () => Math.max(1, deadlineMs - (timers.monotonic() - startedAt));
  const window =
    windowId === null
      ? await session.windows.active()
      : ((await session.windows.list()).find(({ id }) => id === windowId) ?? null);
  const empty = { window, nodes: [], incomplete: null, isAccessible: false };
  if (!window) return empty;
  if (need.roles?.length === 0) return { ...empty, isAccessible: true };
  const frame = findFrame(bus, session.windows, window, remainingMs()).catch(() => null);
  const pingMs = Math.max(PING_TIMEOUT_MS, deadlineMs * PING_PART);
  const isAlive = await session.ping.send(window.id, pingMs);
  // An application that answers over D-Bus does not hang: xterm and some toolkits answer no pings.
  const limitMs = isAlive ? remainingMs() : pingMs;
  const active = await Promise.race([frame, timers.delay(limitMs).then(() => 'late' as const)]);
  if (active === 'late' || active === null) {
    const isHung = !isAlive && (await session.ping.isSupportedBy(window.id));
    return { ...empty, incomplete: isHung ? 'unresponsive' : active === 'late' ? 'timeout' : null };
  }
  const { toolkit } = active.strategy;
  const popups = toolkit === 'gtk2' || toolkit === 'gtk4' ? await session.windows.popups() : [];
  if (menu) {
    // Their places depend on other objects of the window.
    const isReadable = toolkit !== 'libreoffice' && toolkit !== 'gtk4';
    const entries = isReadable
      ? await readMenu(bus, menu, active.strategy, remainingMs(), popups)
      : { nodes: [], incomplete: null };
    return { window, ...entries, isAccessible: true };
  }
  const page = await pages?.read(bus, window, active, remainingMs, () => session.windows.popups());
  if (page) return { window, ...page, isAccessible: true };
  const trees = await Promise.all(
    [active.frame, ...active.popups].map((each) =>
      readTree(bus, each, active.strategy, remainingMs(), { sheets, need, popups }),
    ),
  );
  const nodes = alignNodes(
    trees.flatMap((tree) => tree.nodes),
    toolkit,
    window.bounds,
    popups,
  );
  return {
    window,
    nodes,
    incomplete: trees.map(({ incomplete }) => incomplete).find((reason) => reason !== null) ?? null,
    isAccessible: nodes.length > 0 || (need.roles !== null && (await hasObjects(bus, active, remainingMs()))),
  };
}

/** True if a window has objects in view, although none of the needed ones. */
const hasObjects = async (
  bus: AccessibilityBus,
  { frame, strategy }: ActiveFrame,
  timeoutMs: number,
): Promise<boolean> =>
  strategy.method === 'collection' &&
  (await collectionMatches(bus, frame, { state: strategy.visibleState, maxCount: 1 }, timeoutMs).catch(() => []))
    .length > 0;

/**
 * Reads the whole text of a window, with what is scrolled out of view: of a page over the pipe of its browser, otherwise through the
 * accessibility bus.
 * @param windowId null: the active window
 * @returns null if its application publishes no objects; no parts and the reason if it does not answer
 */
export async function readTextOfWindow(
  session: Pick<Session, 'windows' | 'timers'>,
  bus: AccessibilityBus,
  deadlineMs: number,
  windowId: number | null,
  pages: BrowserPages,
): Promise<WindowText | null> {
  const { timers, windows } = session;
  const startedAt = timers.monotonic();
  const remainingMs = () => Math.max(1, deadlineMs - (timers.monotonic() - startedAt));
  const window =
    windowId === null ? await windows.active() : ((await windows.list()).find(({ id }) => id === windowId) ?? null);
  if (!window) return null;
  const page = await pages.text(window, deadlineMs * PAGE_TEXT_PART);
  if (page) return page;
  const frame = findFrame(bus, windows, window, remainingMs()).catch(() => null);
  const active = await Promise.race([frame, timers.delay(remainingMs()).then(() => 'late' as const)]);
  if (active === 'late') return { parts: [], incomplete: 'timeout' };
  return active && readWindowText(bus, active, remainingMs());
}

/** Converts places to pixels of the screen. @param nodes the frame first */
function alignNodes(
  nodes: AccessibleNode[],
  toolkit: ToolkitKind,
  window: Rectangle,
  popups: readonly Rectangle[],
): AccessibleNode[] {
  if (toolkit === 'libreoffice')
    return withFieldLabels(withToolbarMenus(namedStatusItems(alignLibreOfficeNodes(nodes))));
  return toolkit === 'gtk4' ? alignGtk4Nodes(nodes, window, popups) : nodes;
}
