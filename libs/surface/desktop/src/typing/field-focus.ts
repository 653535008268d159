import type { TypeOptions } from '../session/session-protocol.ts';
import type { AccessibilityBus, AccessibleRef, Extents } from '../accessibility/accessibility-bus.ts';
import type { WindowList } from '../accessibility/active-frame.ts';
import { findFocusedField } from '../accessibility/focused-field.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { hasState } from '../accessibility/states.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds for a clicked field to report the focus, for one call, and between two calls. */
const FOCUS_TIMEOUT_MS = 1_500;
const CALL_TIMEOUT_MS = 1_000;
const LOOK_INTERVAL_MS = 20;

/** Fields that report the focus. Cells and paragraphs may not. */
const fieldRoles: ReadonlySet<number> = new Set([
  atspiRoles.entry,
  atspiRoles.text,
  atspiRoles.passwordText,
  atspiRoles.spinButton,
  atspiRoles.autocomplete,
]);

/**
 * Waits until a clicked field has the focus. The window manager holds a click back for a moment: keys that follow at once would go to the
 * field before. Returns also for a field that does not report its focus.
 * @throws Error if another field keeps the focus
 */
export async function waitForFieldFocus(
  bus: AccessibilityBus,
  windows: WindowList,
  window: WindowFacts,
  field: AccessibleRef,
): Promise<void> {
  const role = await bus.role(field, CALL_TIMEOUT_MS).catch(() => 0);
  if (!fieldRoles.has(role)) return;
  const endsAt = bus.timers.monotonic() + FOCUS_TIMEOUT_MS;
  do {
    const states = await bus.states(field, CALL_TIMEOUT_MS).catch(() => null);
    if (states === null || hasState(states, 'focused')) return;
    await bus.timers.delay(LOOK_INTERVAL_MS);
  } while (bus.timers.monotonic() < endsAt);
  const { field: focused } = await findFocusedField(bus, windows, window, FOCUS_TIMEOUT_MS);
  if (!focused || focused.path === field.path || !(await isApart(bus, focused, field))) return;
  const name = await bus.name(focused, CALL_TIMEOUT_MS).catch(() => '');
  throw new Error(
    `Nothing was typed: another field ${JSON.stringify(name)} keeps the focus after the click; check what covers the field`,
  );
}

/** True for a cell of a sheet or table, also while it is edited. */
export const isTableCell = async (bus: AccessibilityBus, field: AccessibleRef): Promise<boolean> =>
  (await bus.role(field, CALL_TIMEOUT_MS).catch(() => 0)) === atspiRoles.tableCell;

/**
 * The key that selects the text of a focused field, or puts the caret at its end. Ctrl+A selects the whole sheet of a cell, and Ctrl+End
 * leaves the cell.
 * @returns null if the text goes to the caret, or replaces a cell
 */
export function editKeyOf(mode: TypeOptions['mode'], isCell: boolean): string | null {
  if (mode === 'insert') return null;
  if (isCell) return mode === 'append' ? 'F2' : null;
  return mode === 'append' ? 'Control+End' : 'Control+A';
}

/** True if two objects share no pixel. False if a place is unknown. */
async function isApart(bus: AccessibilityBus, first: AccessibleRef, second: AccessibleRef): Promise<boolean> {
  const places = await Promise.all([first, second].map((each) => bus.extents(each, CALL_TIMEOUT_MS).catch(() => null)));
  const [place, otherPlace] = places;
  return place !== null && otherPlace !== null && place !== undefined && otherPlace !== undefined
    ? !intersects(place, otherPlace)
    : false;
}

const intersects = (first: Extents, second: Extents): boolean =>
  first.x < second.x + second.width &&
  second.x < first.x + first.width &&
  first.y < second.y + second.height &&
  second.y < first.y + first.height;
