import { systemTimers } from '@pilothouse/core/timers';
import { findFrame } from '../accessibility/active-frame.ts';
import type { AccessibilityBus } from '../accessibility/accessibility-bus.ts';
import { readTree, type AccessibleNode } from '../accessibility/tree-reader.ts';
import type { WindowTree } from './session-protocol.ts';
import type { Session } from './start-session.ts';

/** Milliseconds for a window to answer a ping before it counts as hung. */
const PING_TIMEOUT_MS = 100;

/**
 * Reads a window within the deadline. A hung application costs the deadline of a ping only.
 * @param windowId null: the active window
 */
export async function observeWindow(
  session: Pick<Session, 'windows' | 'ping'>,
  bus: AccessibilityBus,
  deadlineMs: number,
  windowId: number | null,
): Promise<WindowTree> {
  const startedAt = performance.now();
  const remainingMs = () => Math.max(1, deadlineMs - (performance.now() - startedAt));
  const window =
    windowId === null
      ? await session.windows.active()
      : ((await session.windows.list()).find(({ id }) => id === windowId) ?? null);
  const empty = { window, nodes: [], incomplete: null, isAccessible: false };
  if (!window) return empty;
  const frame = findFrame(bus, window, remainingMs()).catch(() => null);
  const isAlive = await session.ping.send(window.id, PING_TIMEOUT_MS);
  // An application that answers over D-Bus does not hang: xterm and some toolkits answer no pings.
  const active = isAlive
    ? await frame
    : await Promise.race([frame, systemTimers.delay(PING_TIMEOUT_MS).then(() => null)]);
  if (!active) {
    const isHung = !isAlive && (await session.ping.isSupportedBy(window.id));
    return { ...empty, incomplete: isHung ? 'hung' : null };
  }
  const trees = await Promise.all(
    [active.frame, ...active.popups].map((each) => readTree(bus, each, active.strategy, remainingMs())),
  );
  const nodes = trees.flatMap((tree) => tree.nodes);
  const { x, y } = window.bounds;
  const moved = active.isRelative ? nodes.map((node) => moveBy(node, x, y)) : nodes;
  return {
    window,
    nodes: moved,
    incomplete: trees.map(({ incomplete }) => incomplete).find((reason) => reason !== null) ?? null,
    isAccessible: nodes.length > 0,
  };
}

const moveBy = (node: AccessibleNode, x: number, y: number): AccessibleNode => ({
  ...node,
  extents: { ...node.extents, x: node.extents.x + x, y: node.extents.y + y },
});
