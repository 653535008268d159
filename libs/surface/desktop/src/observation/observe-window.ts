import { findFrame } from '../accessibility/active-frame.ts';
import type { AccessibilityBus } from '../accessibility/accessibility-bus.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import { alignGtk4Nodes } from '../accessibility/gtk4-nodes.ts';
import { alignLibreOfficeNodes, namedStatusItems, withToolbarMenus } from '../accessibility/libreoffice-nodes.ts';
import type { ToolkitKind } from '../accessibility/read-strategy.ts';
import { readTree } from '../accessibility/tree-reader.ts';
import type { SheetCells } from '../accessibility/sheet-cells.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { BrowserPages } from '../chromium/browser-pages.ts';
import type { WindowTree } from '../session/session-protocol.ts';
import type { Session } from '../process/start-session.ts';

/** Milliseconds for a window to answer a ping before it counts as hung. */
const PING_TIMEOUT_MS = 100;

/**
 * Reads a window within the deadline. A hung application costs the deadline of a ping only.
 * @param windowId null: the active window
 * @param pages reads pages of web browsers; null: they are read through the accessibility bus, too
 */
export async function observeWindow(
  session: Pick<Session, 'windows' | 'ping' | 'timers'>,
  { bus, sheets }: { readonly bus: AccessibilityBus; readonly sheets: SheetCells },
  deadlineMs: number,
  windowId: number | null,
  pages: BrowserPages | null = null,
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
  const frame = findFrame(bus, window, remainingMs()).catch(() => null);
  const isAlive = await session.ping.send(window.id, PING_TIMEOUT_MS);
  // An application that answers over D-Bus does not hang: xterm and some toolkits answer no pings.
  const limitMs = isAlive ? remainingMs() : PING_TIMEOUT_MS;
  const active = await Promise.race([frame, timers.delay(limitMs).then(() => 'late' as const)]);
  if (active === 'late' || active === null) {
    const isHung = !isAlive && (await session.ping.isSupportedBy(window.id));
    return { ...empty, incomplete: isHung ? 'unresponsive' : active === 'late' ? 'timeout' : null };
  }
  const page = await pages?.read(bus, window, active, remainingMs, () => session.windows.popups());
  if (page) return { window, ...page, isAccessible: true };
  const trees = await Promise.all(
    [active.frame, ...active.popups].map((each) => readTree(bus, each, active.strategy, remainingMs(), sheets)),
  );
  const { toolkit } = active.strategy;
  const popups = toolkit === 'gtk4' ? await session.windows.popups() : [];
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
    isAccessible: nodes.length > 0,
  };
}

/** Converts places to pixels of the screen. @param nodes the frame first */
function alignNodes(
  nodes: AccessibleNode[],
  toolkit: ToolkitKind,
  window: Rectangle,
  popups: readonly Rectangle[],
): AccessibleNode[] {
  if (toolkit === 'libreoffice') return withToolbarMenus(namedStatusItems(alignLibreOfficeNodes(nodes)));
  return toolkit === 'gtk4' ? alignGtk4Nodes(nodes, window, popups) : nodes;
}
