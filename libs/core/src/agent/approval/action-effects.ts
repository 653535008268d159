import { toLocatorChain, type Action, type ElementView, type Observation } from '@pilothouse/contract';
import { elementByIndex, targetElement, elementsAtPoint, actionPoint } from '../page-queries.ts';

/* What an action may set off, as far as the list has it. */

/** Actions that may set something off. */
export const triggeringActions: ReadonlySet<Action['action']> = new Set([
  'click',
  'press',
  'drag',
  'check',
  'uncheck',
  'selectOption',
  'download',
]);

/** Keys that press what has the focus; the first also sends the form of a field. Playwright takes a line break for Enter. */
const ENTER = /(?:^|\+)(?:Enter|NumpadEnter|Return|\r|\n)$/;
const SPACE = /(?:^|\+)(?:Space| )$/;
const ERASE = /(?:^|\+)(?:Delete|Backspace)$/;

/** What takes the keys as text, or as values of its own. */
const fields: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
/** What a key presses, and nothing else besides. */
const pressed: ReadonlySet<string> = new Set(['button', 'link', 'menuitem', 'clickable']);
/** What has a state, which a form around it sends later, by its button. */
const states: ReadonlySet<string> = new Set(['checkbox', 'radio', 'combobox', 'listbox']);

/** What an action may set off: by what it points at, and what lies around that. */
export function affectedElements(action: Action, seen: Observation): readonly ElementView[] {
  switch (action.action) {
    case 'press':
      return meantByKey(action.key, action, seen);
    case 'drag':
      // What is dragged is set off by where it is dropped.
      return [...pointedAt(action, seen), ...endOf(action, seen)];
    case 'selectOption':
      // What is chosen is looked at apart: a list that is called “Delete” does nothing yet.
      return [];
    case 'check':
    case 'uncheck':
      return pointedAt(action, seen).filter((one) => !(states.has(one.role) && one.submitButton !== undefined));
    default:
      return pointedAt(action, seen);
  }
}

/** Whether a key takes away what is chosen: outside of a field it is no letter that goes. */
export function isErasingKey(action: Action, seen: Observation): boolean {
  if (action.action !== 'press' || !ERASE.test(action.key)) return false;
  const focus = targetElement(action, seen) ?? focusOf(seen);
  return focus === null || !focus || !fields.has(focus.role);
}

/** What is chosen, where an action chooses something. */
export const selectedOptions = (action: Action): readonly string[] =>
  action.action === 'selectOption' && action.by !== 'index' ? [action.option].flat() : [];

/** The elements that an action points at. */
export function pointedAt(action: Action, seen: Observation): ElementView[] {
  if (actionPoint(action)) return elementsAtPoint(actionPoint(action) ?? { x: 0, y: 0 }, seen);
  const target = targetElement(action, seen);
  if (!target) return [];
  // A text or a picture is pressed with the button that it stands in.
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

/** What has the focus, listed or not; null: nothing has; undefined: it is not known. */
function focusOf({ elements, focused, focus }: Observation): ElementView | null | undefined {
  const listed = elements.find(({ index }) => index === focused);
  return listed ?? (focus && { ...focus, index: UNLISTED });
}

/** Index of what has the focus and is not in the list. */
const UNLISTED = -1;

export const isEnter = (key: string): boolean => ENTER.test(key);

/** What a key press may go to: its target, else what has the focus, else anything that takes keys where that is not known. */
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
  // Space scrolls a page on which nothing has the focus.
  if (!focus) return focus === null && !sends ? [] : buttons;
  if (!sends) return fields.has(focus.role) ? [] : [focus];
  // Enter in a field of a form presses the button of the form, or one of its other buttons by a script; without any the form is sent.
  if (focus.submitButton !== undefined) return focus.submitButton === '' ? [] : buttonOf(focus, focus.submitButton);
  // Which button a script means by Enter is not known: any in view may be it. One searches beside buttons all the time.
  return focus.tags.includes('search') ? [] : buttons;
}

/** The button that Enter presses, as the form of the field has it; it may be out of view. */
function buttonOf(
  { fallbackName: hint, value, submitButton: enter, length, ...rest }: ElementView,
  name: string,
): ElementView[] {
  return [{ ...rest, role: 'button', name, state: {}, tags: [] }];
}
