import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import type { ReadNeed } from '../accessibility/read-need.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { hasState, stateSetOf } from '../accessibility/states.ts';
import { DesktopScreen } from '../desktop.screen.ts';
import type { SessionClient } from '../session/session-client.ts';

const window = {
  id: 1,
  title: 'Editor',
  appId: 'editor',
  isActive: true,
  bounds: { x: 0, y: 0, width: 800, height: 600 },
};

const nodeOf = (path: string, role: number, name: string, y: number): AccessibleNode => ({
  ...{ bus: ':1.1', path, role, name, states: stateSetOf('enabled') },
  extents: { x: 10, y, width: 40, height: 20 },
});

/**
 * A screen whose active window has a button and a checkbox, and a record of its reads. A click removes the checkbox from the list.
 * @param readMs milliseconds that a whole read of the window takes
 */
export function aScreen(incomplete: IncompleteReason | null, unchangedMs = 0, readMs = 0) {
  const needs: ReadNeed[] = [];
  const deadlines: number[] = [];
  const readTimes: number[] = [];
  const timers = new ManualTimers();
  let nodes = [nodeOf('/1', atspiRoles.button, 'Save', 10), nodeOf('/2', atspiRoles.checkBox, 'Bold', 40)];
  const observe = async ({ need, deadlineMs }: { readonly need: ReadNeed; readonly deadlineMs: number }) => {
    needs.push(need);
    deadlines.push(deadlineMs);
    readTimes.push(timers.monotonic());
    if (readMs > 0) await timers.delay(Math.min(readMs, deadlineMs));
    const isLate = readMs > deadlineMs;
    return { window, nodes: isLate ? [] : nodes, incomplete: isLate ? 'timeout' : incomplete, isAccessible: true };
  };
  const answers: Record<string, (args: never) => unknown> = {
    windows: () => [window],
    activeWindow: () => window,
    unchangedMs: () => unchangedMs,
    restEnd: async ({ stableMs, timeoutMs }: { readonly stableMs: number; readonly timeoutMs: number }) => {
      if (unchangedMs >= stableMs) await timers.delay(timeoutMs);
      return unchangedMs;
    },
    waitForChange: () => ({ version: 1 }),
    windowAt: () => 1,
    click: () => {
      nodes = nodes.filter(({ states, role }) => hasState(states, 'enabled') && role !== atspiRoles.checkBox);
      return 'pressed';
    },
    observe,
  };
  const call = async (name: string, args: unknown): Promise<unknown> => answers[name]?.(args as never);
  const session = { call } as unknown as SessionClient;
  const screen = new DesktopScreen(session, { width: 800, height: 600, scale: 1 });
  return { session, screen, needs, deadlines, readTimes, timers };
}
