import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { Bounds, ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { elementLine } from '../observation/observation-text.ts';

/* Queries about an observed page. */

/** Fingerprint of a page's content, without positions. */
export const fingerprintOf = ({ url, elements }: Observation): string =>
  [url, ...elements.map((element) => elementLine(element))].join('\n');

/** True if two observations differ at most in the focus. A click without any other effect moves the focus. */
export const isSameExceptFocus = (observation: Observation, next: Observation): boolean =>
  fingerprintOf(withoutFocus(observation)) === fingerprintOf(withoutFocus(next));

const withoutFocus = (page: Observation): Observation => ({
  ...page,
  elements: page.elements.map((first) => ({ ...first, state: { ...first.state, focused: undefined } })),
});

/** True if an interactive element came, went, or changed its role or name. Values of fields do not count. */
export function listChanged(previous: Observation, next: Observation): boolean {
  if (previous.document !== next.document) return true;
  const names = (page: Observation) => {
    const values = valuesOf(page);
    return new Map(
      page.elements
        .filter(({ interactive }) => interactive)
        .map((element) => [element.index, `${element.role} ${withoutValues(element.name, values)}`]),
    );
  };
  const [namesBefore, namesAfter] = [names(previous), names(next)];
  return (
    namesBefore.size !== namesAfter.size || [...namesBefore].some(([index, name]) => namesAfter.get(index) !== name)
  );
}

/** Values of fields, the longest first. */
const valuesOf = ({ elements }: Observation): string[] =>
  [...new Set(elements.flatMap(({ value }) => value?.replace(/\s+/g, ' ').trim() || []))].sort(
    (first, second) => second.length - first.length,
  );

/** Removes field values from a name. The name of a group, row or cell contains the text typed in it. */
function withoutValues(name: string, values: readonly string[]): string {
  let rest = ` ${name} `;
  for (const value of values) rest = rest.replaceAll(` ${value} `, ' ');
  return rest.replace(/\s+/g, ' ').trim();
}

/** Point that an action names, in thousandths of the viewport. */
export function actionPoint(action: Action): ViewportPoint | undefined {
  const target = 'target' in action ? action.target : undefined;
  return target && toLocatorChain(target)[0]?.point;
}

/** Thousandths of the viewport, from its upper left corner. */
export interface ViewportPoint {
  readonly x: number;
  readonly y: number;
}

/** Interactive elements at a point, the smallest first: the top element is seldom larger than the ones below it. */
export function elementsAtPoint(point: ViewportPoint, { viewport, elements }: Observation): ElementView[] {
  const x = (point.x / 1000) * viewport.width;
  const y = (point.y / 1000) * viewport.height;
  const area = ({ bounds }: ElementView) => bounds.width * bounds.height;
  return elements
    .filter(
      ({ interactive, bounds }) =>
        interactive && x >= bounds.x && x <= bounds.x + bounds.width && y >= bounds.y && y <= bounds.y + bounds.height,
    )
    .sort((first, second) => area(first) - area(second));
}

/** Target element of an action, named by index, point or focus. */
export function targetElement(action: Action, page: Observation): ElementView | undefined {
  const point = actionPoint(action);
  if (point) return elementsAtPoint(point, page)[0];
  const [locator] = 'target' in action && action.target ? toLocatorChain(action.target) : [];
  const index = locator?.focus ? (page.focused ?? undefined) : locator?.elementIndex;
  return index === undefined ? undefined : elementByIndex(index, page);
}

export const isTextEntry = (action: Action): action is ActionOf<'fill' | 'type'> =>
  action.action === 'fill' || action.action === 'type';

/** True if an action types at the caret. */
export const isAtCaret = ({ target }: ActionOf<'fill' | 'type'>): boolean =>
  target === undefined || toLocatorChain(target).every(({ focus }) => focus === true);

export const elementByIndex = (index: number, { elements }: Pick<Observation, 'elements'>): ElementView | undefined =>
  elements.find((element) => element.index === index);

/** Roles of elements for which a click at any point has the same effect as a click at the center. */
const POSITION_INDEPENDENT_ROLES: ReadonlySet<string> = new Set([
  'button',
  'link',
  'menuitem',
  'option',
  'tab',
  'checkbox',
  'radio',
  'switch',
  'textbox',
  'searchbox',
  'combobox',
]);

/**
 * Replaces the point of an action with the element at that point, if the effect is the same. The surface then detects that the element
 * changed. Keeps the point for targets outside the list and for position-dependent ones (canvas, slider, map).
 */
export function pointToElement(action: Action, page: Observation): Action {
  const point = actionPoint(action);
  const element =
    point && action.action !== 'drag' && action.action !== 'scroll' ? elementsAtPoint(point, page)[0] : undefined;
  return element && POSITION_INDEPENDENT_ROLES.has(element.role)
    ? ({ ...action, target: { elementIndex: element.index } } as Action)
    : action;
}

/** True if everything interactive in view is opaque to the element list, for example a canvas that listens for clicks. */
export const isCanvasOnly = ({ elements, opaqueRegions, loading }: Observation): boolean =>
  !loading &&
  opaqueRegions.length > 0 &&
  elements.every(
    ({ interactive, name, bounds }) =>
      !interactive || (name === '' && opaqueRegions.some((region) => isWithin(bounds, region.bounds))),
  );

const isWithin = (inner: Bounds, outer: Bounds): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Roles of fields that show suggestions while typing. The next action depends on the suggestions. */
const SUGGESTING_ROLES = new Set(['combobox', 'searchbox']);

/** True if the action always ends its turn, even if the element list stays the same. */
export function endsTurn(action: Action, page: Observation): boolean {
  if (
    action.action === 'navigate' ||
    action.action === 'goBack' ||
    action.action === 'goForward' ||
    action.action === 'reload'
  )
    return true;
  if (action.action === 'switchTab' || action.action === 'closeTab') return true;
  return mayShowSuggestions(action, page);
}

/** True if the page may show suggestions after the action. */
export function mayShowSuggestions(action: Action, page: Observation): boolean {
  const field = isTextEntry(action) ? targetElement(action, page) : undefined;
  return field !== undefined && (SUGGESTING_ROLES.has(field.role) || field.tags.includes('search'));
}
