import type { WindowFacts } from '../x/window-manager.ts';
import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import { isTextField } from './accessible-text.ts';
import { findFrame } from './active-frame.ts';
import { collectionMatches } from './collection-matches.ts';
import { hasState } from './states.ts';
import { readTree } from './tree-reader.ts';

/** Maximum number of focused objects that are inspected. A document and its field can both have the focus. */
const MAX_FOCUSED = 20;

/** The object with the keyboard focus. */
interface FocusedField {
  /** Null: the focused object takes no text, or no object has the focus. */
  readonly field: AccessibleRef | null;
  /** False if the application publishes no accessible objects. */
  readonly isAccessible: boolean;
}

/** Finds the text field with the keyboard focus in a window. */
export async function findFocusedField(
  bus: AccessibilityBus,
  window: WindowFacts,
  deadlineMs: number,
): Promise<FocusedField> {
  const endsAt = bus.timers.monotonic() + deadlineMs;
  const remainingMs = () => Math.max(1, endsAt - bus.timers.monotonic());
  const active = await findFrame(bus, window, remainingMs()).catch(() => null);
  if (!active) return { field: null, isAccessible: false };
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
    return { field: facts.findLast(isTextField)?.reference ?? null, isAccessible: true };
  }
  const trees = await Promise.all(frames.map((frame) => readTree(bus, frame, active.strategy, remainingMs())));
  const nodes = trees.flatMap((tree) => tree.nodes);
  const focused = nodes.filter(({ states }) => hasState(states, 'focused'));
  // GTK 4 reports no focus in a window that has just opened.
  const [only, ...others] = focused.length === 0 ? nodes.filter(isTextField) : [];
  const field = focused.findLast(isTextField) ?? (others.length === 0 ? only : undefined);
  return { field: field ? { bus: field.bus, path: field.path } : null, isAccessible: true };
}

/** Objects below a frame with the state FOCUSED, in the order of the tree. */
const focusedOf = (bus: AccessibilityBus, frame: AccessibleRef, timeoutMs: number): Promise<AccessibleRef[]> =>
  collectionMatches(bus, frame, { state: 'focused', maxCount: MAX_FOCUSED }, timeoutMs).catch(() => []);
