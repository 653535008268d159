import type { AccessibilityBus, AccessibleRef, Extents } from './accessibility-bus.ts';
import type { ActiveFrame } from './active-frame.ts';
import { atspiRoles } from './roles.ts';
import { hasState, stateSetOf } from './states.ts';

/** A password field in view, in pixels of the screen. */
export interface PasswordField extends AccessibleRef {
  readonly extents: Extents;
}

/** Maximum password fields returned per frame. */
const MAX_FIELDS_PER_FRAME = 50;

/** Role set of a match rule: four words of 32 bits. */
const PASSWORD_ROLES = [0, 1 << (atspiRoles.passwordText - 32), 0, 0];

/** `ATSPI_Collection_MATCH_ALL` and `MATCH_ANY`. */
const MATCH_ALL = 1;
const MATCH_ANY = 2;

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
  const states = stateSetOf(strategy.visibleState);
  const rule = [states, MATCH_ALL, {}, MATCH_ALL, PASSWORD_ROLES, MATCH_ANY, [], MATCH_ALL, false];
  const found = await Promise.all(
    [frame, ...popups].map((each) =>
      bus.call<[string, string][]>(
        each,
        'org.a11y.atspi.Collection',
        'GetMatches',
        timeoutMs,
        '(aiia{ss}iaiiasib)uib',
        [rule, 1, MAX_FIELDS_PER_FRAME, true],
      ),
    ),
  );
  const fields = await Promise.all(found.flat().map(([name, path]) => fieldOf(bus, { bus: name, path }, timeoutMs)));
  return fields.filter((field) => field !== null);
}

/** Reads a former password field again, for example while the application shows the password. @returns null if it is not in view */
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
