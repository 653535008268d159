import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import type { ActiveFrame } from './active-frame.ts';
import { collectionMatches } from './collection-matches.ts';
import { atspiRoles } from './roles.ts';
import { hasState } from './states.ts';

/** A password field in view, in pixels of the screen. */
export interface PasswordField extends AccessibleRef {
  readonly extents: Extents;
}

/** Maximum password fields returned per frame. */
const MAX_FIELDS_PER_FRAME = 50;

/**
 * Finds the password fields in view with one call for each frame.
 * @param frame of a toolkit with the strategy `collection`
 * @throws Error if the application does not answer in time
 */
export async function findPasswordFields(
  bus: AccessibilityBus,
  { frame, popups, strategy }: ActiveFrame,
  timeoutMs: number,
): Promise<PasswordField[]> {
  const rule = {
    state: strategy.visibleState,
    roles: [atspiRoles.passwordText],
    maxCount: MAX_FIELDS_PER_FRAME,
  };
  const found = await Promise.all([frame, ...popups].map((root) => collectionMatches(bus, root, rule, timeoutMs)));
  const fields = await Promise.all(found.flat().map((reference) => fieldOf(bus, reference, timeoutMs)));
  return fields.filter((field) => field !== null);
}

/** Reads a known password field again, for example while the application shows the password. @returns null if it is not in view */
export async function fieldInView(
  bus: AccessibilityBus,
  reference: AccessibleRef,
  timeoutMs: number,
): Promise<PasswordField | null> {
  const states = await bus.states(reference, timeoutMs).catch(() => []);
  return hasState(states, 'showing') ? fieldOf(bus, reference, timeoutMs) : null;
}

async function fieldOf(
  bus: AccessibilityBus,
  reference: AccessibleRef,
  timeoutMs: number,
): Promise<PasswordField | null> {
  const extents = await bus.extents(reference, timeoutMs).catch(() => null);
  return extents && { ...reference, extents };
}
