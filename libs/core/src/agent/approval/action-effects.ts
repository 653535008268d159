import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
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
const ENTER_KEY = /(?:^|\+)(?:Enter|NumpadEnter|Return|\r|\n)$/;
const SPACE_KEY = /(?:^|\+)(?:Space| )$/;
const ERASE_KEY = /(?:^|\+)(?:Delete|Backspace)$/;

/** Roles that consume keys as text or as values. */
const TEXT_FIELD_ROLES: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
/** Roles that a key only activates. */
const ACTIVATED_ROLES: ReadonlySet<string> = new Set(['button', 'link', 'menuitem', 'clickable']);
/** Roles with a state that the button of the form submits later. */
const STATEFUL_ROLES: ReadonlySet<string> = new Set(['checkbox', 'radio', 'combobox', 'listbox']);

/** Elements that an action may trigger: its target and the elements around it. */
export function affectedElements(action: Action, page: Observation): readonly ElementView[] {
  switch (action.action) {
    case 'press':
      return elementsActivatedByKey(action.key, action, page);
    case 'drag':
      // The drop target decides the effect of a drag.
      return [...targetElements(action, page), ...dropTargets(action, page)];
    case 'selectOption':
      // `selectedOptions` covers the chosen options. A list named “Delete” has no effect by itself.
      return [];
    case 'check':
    case 'uncheck':
      return targetElements(action, page).filter(
        (element) => !(STATEFUL_ROLES.has(element.role) && element.submitButton !== undefined),
      );
    default:
      return targetElements(action, page);
  }
}

/** True if a key deletes the selection. Inside a field it deletes only a character. */
export function isDeletingKey(action: Action, page: Observation): boolean {
  if (action.action !== 'press' || !ERASE_KEY.test(action.key)) return false;
  const focus = targetElement(action, page) ?? focusOf(page);
  return focus === null || !focus || !TEXT_FIELD_ROLES.has(focus.role);
}

/** Options that an action selects. */
export const selectedOptions = (action: Action): readonly string[] =>
  action.action === 'selectOption' && action.by !== 'index' ? [action.option].flat() : [];

/** Elements at the target of an action. */
export function targetElements(action: Action, page: Observation): ElementView[] {
  if (actionPoint(action)) return elementsAtPoint(actionPoint(action) ?? { x: 0, y: 0 }, page);
  const target = targetElement(action, page);
  if (!target) return [];
  // A click on a text or an image inside a button presses the button.
  return target.interactive ? [target] : [target, ...elementsAround(target, page)];
}

function elementsAround({ bounds: { x, y, width, height } }: ElementView, page: Observation): ElementView[] {
  const { viewport } = page;
  const center = { x: (1000 * (x + width / 2)) / viewport.width, y: (1000 * (y + height / 2)) / viewport.height };
  return elementsAtPoint(center, page);
}

function dropTargets({ to: dropTarget }: Extract<Action, { action: 'drag' }>, page: Observation): ElementView[] {
  const [locator] = dropTarget ? toLocatorChain(dropTarget) : [];
  if (locator?.point) return elementsAtPoint(locator.point, page);
  const element = locator?.elementIndex === undefined ? undefined : elementByIndex(locator.elementIndex, page);
  return element ? [element, ...elementsAround(element, page)] : [];
}

/** Focused element, listed or not; null: no focus; undefined: unknown. */
function focusOf({ elements, focused, focus }: Observation): ElementView | null | undefined {
  const listedFocus = elements.find(({ index }) => index === focused);
  return listedFocus ?? (focus && { ...focus, index: UNLISTED });
}

/** Index of a focused element that is not in the list. */
const UNLISTED = -1;

export const isEnter = (key: string): boolean => ENTER_KEY.test(key);

/**
 * Elements that may receive a key: the target, or the focused element. If the focus is unknown: every element that
 * takes keys.
 */
export function elementsWithKeys(action: Action, page: Observation): readonly ElementView[] {
  const focus = targetElement(action, page) ?? focusOf(page);
  return focus === undefined ? page.elements.filter(({ interactive }) => interactive) : focus === null ? [] : [focus];
}

function elementsActivatedByKey(key: string, action: Action, page: Observation): ElementView[] {
  const isEnterKey = ENTER_KEY.test(key);
  if (!isEnterKey && !SPACE_KEY.test(key)) return [];
  const focus = targetElement(action, page) ?? focusOf(page);
  if (focus && ACTIVATED_ROLES.has(focus.role)) return [focus];
  const buttons = page.elements.filter(({ role }) => role === 'button');
  // Without a focus, Space scrolls the page.
  if (!focus) return focus === null && !isEnterKey ? [] : buttons;
  if (!isEnterKey) return TEXT_FIELD_ROLES.has(focus.role) ? [] : [focus];
  // Enter in a field presses the button of its form, or a script presses another one. A form without a button is submitted.
  if (focus.submitButton !== undefined)
    return focus.submitButton === '' ? [] : submitButtonOf(focus, focus.submitButton);
  // A script may map Enter to any button in view. Search fields are excluded, because they usually stand beside unrelated buttons.
  return focus.tags.includes('search') ? [] : buttons;
}

/** Button that Enter presses in the form of the field. It may be out of view. */
function submitButtonOf(
  { fallbackName: _fallbackName, value, submitButton: _submitButton, length, ...rest }: ElementView,
  name: string,
): ElementView[] {
  return [{ ...rest, role: 'button', name, state: {}, tags: [] }];
}
