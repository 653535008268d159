import type { AccessibilityBus, AccessibleRef } from '../accessibility/accessibility-bus.ts';
import type { WindowList } from '../accessibility/active-frame.ts';
import { findFocusedField } from '../accessibility/focused-field.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import { hasState } from '../accessibility/states.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { isApart } from './edit-key.ts';

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
