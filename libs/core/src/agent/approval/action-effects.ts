import { toLocatorChain, type Action, type ElementView, type Observation } from '@pilothouse/contract';
import { elementByIndex, targetElement, elementsAtPoint, actionPoint } from '../page-queries.ts';

/* Elements that an action may trigger, according to the element list. */

/** Actions that may trigger an effect. */
export const triggeringActions: ReadonlySet<Action['action']> = new Set([
  'click',
  'press',
  'drag',
  'check',
  'uncheck',
  'selectOption',
  'download',
]);

/** Keys that activate the focused element. Enter also submits the form of a field. Playwright treats a line break as Enter. */
const ENTER = /(?:^|\+)(?:Enter|NumpadEnter|Return|\r|\n)$/;
const SPACE = /(?:^|\+)(?:Space| )$/;
const ERASE = /(?:^|\+)(?:Delete|Backspace)$/;

/** Roles that consume keys as text or as values. */
const fields: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
/** Roles that a key only activates. */
const pressed: ReadonlySet<string> = new Set(['button', 'link', 'menuitem', 'clickable']);
/** Roles with a state that the button of the form submits later. */
const states: ReadonlySet<string> = new Set(['checkbox', 'radio', 'combobox', 'listbox']);

/** Elements that an action may trigger: its target and the elements around it. */
export function affectedElements(action: Action, seen: Observation): readonly ElementView[] {
  switch (action.action) {
    case 'press':
      return meantByKey(action.key, action, seen);
    case 'drag':
      // The drop target decides the effect of a drag.
      return [...pointedAt(action, seen), ...endOf(action, seen)];
    case 'selectOption':
      // `selectedOptions` covers the chosen options. A list named “Delete” has no effect by itself.
      return [];
    case 'check':
    case 'uncheck':
      return pointedAt(action, seen).filter((one) => !(states.has(one.role) && one.submitButton !== undefined));
    default:
      return pointedAt(action, seen);
  }
}

/** True if a key deletes the selection. Inside a field it deletes only a character. */
export function isErasingKey(action: Action, seen: Observation): boolean {
  if (action.action !== 'press' || !ERASE.test(action.key)) return false;
  const focus = targetElement(action, seen) ?? focusOf(seen);
  return focus === null || !focus || !fields.has(focus.role);
}

/** Options that an action selects. */
export const selectedOptions = (action: Action): readonly string[] =>
  action.action === 'selectOption' && action.by !== 'index' ? [action.option].flat() : [];

/** Elements at the target of an action. */
export function pointedAt(action: Action, seen: Observation): ElementView[] {
  if (actionPoint(action)) return elementsAtPoint(actionPoint(action) ?? { x: 0, y: 0 }, seen);
  const target = targetElement(action, seen);
  if (!target) return [];
  // A click on a text or an image inside a button presses the button.
  return target.interactive ? [target] : [target, ...around(target, seen)];
}

function around({ bounds: { x, y, width, height } }: ElementView, seen: Observation): ElementView[] {
  const { viewport } = seen;
  const middle = { x: (1000 * (x + width / 2)) / viewport.width, y: (1000 * (y + height / 2)) / viewport.height };
  return elementsAtPoint(middle, seen);
}

function endOf({ to }: Extract<Action, { action: 'drag' }>, seen: Observation): ElementView[] {
  const [end] = to ? toLocatorChain(to) : [];
  if (end?.point) return elementsAtPoint(end.point, seen);
  const one = end?.elementIndex === undefined ? undefined : elementByIndex(end.elementIndex, seen);
  return one ? [one, ...around(one, seen)] : [];
}

/** Focused element, listed or not; null: no focus; undefined: unknown. */
function focusOf({ elements, focused, focus }: Observation): ElementView | null | undefined {
  const listed = elements.find(({ index }) => index === focused);
  return listed ?? (focus && { ...focus, index: UNLISTED });
}

/** Index of a focused element that is not in the list. */
const UNLISTED = -1;

export const isEnter = (key: string): boolean => ENTER.test(key);

/** Elements that may receive a key: the target, or the focused element, or every element that takes keys if the focus is unknown. */
export function elementsWithKeys(action: Action, seen: Observation): readonly ElementView[] {
  const focus = targetElement(action, seen) ?? focusOf(seen);
  return focus === undefined ? seen.elements.filter(({ interactive }) => interactive) : focus === null ? [] : [focus];
}

function meantByKey(key: string, action: Action, seen: Observation): ElementView[] {
  const sends = ENTER.test(key);
  if (!sends && !SPACE.test(key)) return [];
  const focus = targetElement(action, seen) ?? focusOf(seen);
  if (focus && pressed.has(focus.role)) return [focus];
  const buttons = seen.elements.filter(({ role }) => role === 'button');
  // Without a focus, Space scrolls the page.
  if (!focus) return focus === null && !sends ? [] : buttons;
  if (!sends) return fields.has(focus.role) ? [] : [focus];
  // Enter in a field presses the button of its form, or a script presses another one. A form without a button is submitted.
  if (focus.submitButton !== undefined) return focus.submitButton === '' ? [] : buttonOf(focus, focus.submitButton);
  // A script may map Enter to any button in view. Search fields are excluded, because they usually stand beside unrelated buttons.
  return focus.tags.includes('search') ? [] : buttons;
}

/** Button that Enter presses in the form of the field. It may be out of view. */
function buttonOf(
  { fallbackName: hint, value, submitButton: enter, length, ...rest }: ElementView,
  name: string,
): ElementView[] {
  return [{ ...rest, role: 'button', name, state: {}, tags: [] }];
}
