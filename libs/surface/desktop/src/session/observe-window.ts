import { findFrame } from '../accessibility/active-frame.ts';
import type { AccessibilityBus } from '../accessibility/accessibility-bus.ts';
import { readTree, type AccessibleNode } from '../accessibility/tree-reader.ts';
import type { ActiveWindowTree } from './session-protocol.ts';
import type { Session } from './start-session.ts';

/** Milliseconds for a window to answer a ping before it counts as hung. */
const PING_TIMEOUT_MS = 100;

/** Reads the active window within the deadline. A hung application costs the deadline of a ping only. */
export async function observeWindow(
  session: Pick<Session, 'windows' | 'ping'>,
  bus: AccessibilityBus,
  deadlineMs: number,
): Promise<ActiveWindowTree> {
  const startedAt = performance.now();
  const remainingMs = () => Math.max(1, deadlineMs - (performance.now() - startedAt));
  const window = await session.windows.active();
  const empty = { window, nodes: [], isIncomplete: false, isHung: false, isAccessible: false };
  if (!window) return empty;
  const [isAlive, active] = await Promise.all([
    session.ping.send(window.id, PING_TIMEOUT_MS),
    findFrame(bus, window, remainingMs()).catch(() => null),
  ]);
  if (!active) return { ...empty, isHung: !isAlive, isIncomplete: !isAlive };
  // An application that answers over D-Bus does not hang: xterm and some toolkits answer no pings.
  const trees = await Promise.all(
    [active.frame, ...active.popups].map((frame) => readTree(bus, frame, active.strategy, remainingMs())),
  );
  const nodes = trees.flatMap((tree) => tree.nodes);
  const { x, y } = window.bounds;
  const moved = active.isRelative ? nodes.map((node) => moveBy(node, x, y)) : nodes;
  return {
    window,
    nodes: moved,
    isIncomplete: trees.some((tree) => tree.isIncomplete),
    isHung: false,
    isAccessible: nodes.length > 0,
  };
}

const moveBy = (node: AccessibleNode, x: number, y: number): AccessibleNode => ({
  ...node,
  extents: { ...node.extents, x: node.extents.x + x, y: node.extents.y + y },
});
