import type { WindowFacts } from '../x/window-manager.ts';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import { isTextField } from './accessible-text.ts';
import { findFrame, type WindowList } from './active-frame.ts';
import { collectionMatches } from './collection-matches.ts';
import { atspiRoles } from './roles.ts';
import { hasState, type StateSet } from './states.ts';
import { readTree } from './tree-reader.ts';

/** Maximum number of focused objects that are inspected. A document and its field can both have the focus. */
const MAX_FOCUSED = 20;

/** Names of controls that take no text, by role. Lists and cells take letters, so they are not here. */
const controlNames: ReadonlyMap<number, string> = new Map([
  [atspiRoles.button, 'button'],
  [atspiRoles.toggleButton, 'button'],
  [atspiRoles.buttonMenu, 'button'],
  [atspiRoles.checkBox, 'checkbox'],
  [atspiRoles.radioButton, 'radio button'],
  [atspiRoles.slider, 'slider'],
  [atspiRoles.link, 'link'],
]);

/** The object with the keyboard focus. */
interface FocusedField {
  /** Null: the focused object takes no text, or no object has the focus. */
  readonly field: AccessibleRef | null;
  /** Description of a focused control that takes no text, such as a button; null: there is none. */
  readonly control: string | null;
  /** True if any object has the focus. */
  readonly hasFocus: boolean;
  /** False if the application did not answer in time. */
  readonly isRead: boolean;
  /** False if the application publishes no accessible objects. */
  readonly isAccessible: boolean;
}

/** Finds the text field with the keyboard focus in a window. */
export async function findFocusedField(
  bus: AccessibilityBus,
  windows: WindowList,
  window: WindowFacts,
  deadlineMs: number,
): Promise<FocusedField> {
  const endsAt = bus.timers.monotonic() + deadlineMs;
  const remainingMs = () => Math.max(1, endsAt - bus.timers.monotonic());
  const isLate = () => bus.timers.monotonic() >= endsAt;
  const active = await findFrame(bus, windows, window, remainingMs()).catch(() => null);
  if (!active) return { field: null, control: null, hasFocus: false, isRead: !isLate(), isAccessible: false };
  const frames = [active.frame, ...active.popups];
  if (active.strategy.method === 'collection') {
    const found = await Promise.all(frames.map((frame) => focusedOf(bus, frame, remainingMs())));
    const facts = await Promise.all(
      found.flat().map(async (reference) => ({
        reference,
        role: await bus.role(reference, remainingMs()).catch(() => 0),
        states: await bus.states(reference, remainingMs()).catch(() => []),
      })),
    );
    const field = facts.findLast(isTextField)?.reference ?? null;
    const control = field ? null : await controlOf(bus, facts.at(-1), remainingMs());
    const hasFocus = facts.length > 0;
    return { field, control, hasFocus, isRead: field !== null || !isLate(), isAccessible: true };
  }
  const trees = await Promise.all(frames.map((frame) => readTree(bus, frame, active.strategy, remainingMs())));
  const nodes = trees.flatMap((tree) => tree.nodes);
  const focused = nodes.filter(({ states }) => hasState(states, 'focused'));
  // GTK 4 reports no focus in a window that has just opened.
  const [only, ...others] = focused.length === 0 ? nodes.filter(isTextField) : [];
  const field = focused.findLast(isTextField) ?? (others.length === 0 ? only : undefined);
  const last = focused.at(-1);
  return {
    field: field ? { bus: field.bus, path: field.path } : null,
    control: field ? null : await controlOf(bus, last && { ...last, reference: last }, remainingMs()),
    hasFocus: field !== undefined || focused.length > 0,
    isRead: field !== undefined || trees.every(({ incomplete }) => incomplete !== 'timeout'),
    isAccessible: true,
  };
}

/** Describes a focused control that takes no text. @returns null for any other object */
async function controlOf(
  bus: AccessibilityBus,
  focused: { readonly reference: AccessibleRef; readonly role: number; readonly states: StateSet } | undefined,
  timeoutMs: number,
): Promise<string | null> {
  const control = focused && controlNames.get(focused.role);
  if (!control) return null;
  const name = await bus.name(focused.reference, timeoutMs).catch(() => '');
  return name === '' ? `a ${control}` : `the ${control} ${JSON.stringify(name)}`;
}

/** Objects below a frame with the state FOCUSED, in the order of the tree. */
const focusedOf = (bus: AccessibilityBus, frame: AccessibleRef, timeoutMs: number): Promise<AccessibleRef[]> =>
  collectionMatches(bus, frame, { state: 'focused', maxCount: MAX_FOCUSED }, timeoutMs).catch(() => []);
