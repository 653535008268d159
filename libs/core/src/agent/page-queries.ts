import {
  toLocatorChain,
  type Action,
  type ActionOf,
  type Bounds,
  type ElementView,
  type Observation,
} from '@pilothouse/contract';
import { elementLine } from '../observation/observation-text.ts';

/* What the agent asks about a page that it sees. */

/** A page as a text that is the same when it is the same: what it shows, not where. */
export const fingerprintOf = ({ url, elements }: Observation): string => [url, ...elements.map(elementLine)].join('\n');

/** Whether two looks saw the same, but for what has the focus: a click moves it that does nothing else. */
export const isSameExceptFocus = (one: Observation, other: Observation): boolean =>
  fingerprintOf(unfocused(one)) === fingerprintOf(unfocused(other));

const unfocused = (seen: Observation): Observation => ({
  ...seen,
  elements: seen.elements.map((one) => ({ ...one, state: { ...one.state, focused: undefined } })),
});

/**
 * Whether the list is another: an element that takes input came or went, or is another by its role or name. What stands in a field
 * does not count.
 */
export function listChanged(before: Observation, after: Observation): boolean {
  if (before.document !== after.document) return true;
  const names = (seen: Observation) => {
    const values = valuesOf(seen);
    return new Map(
      seen.elements
        .filter(({ interactive }) => interactive)
        .map((one) => [one.index, `${one.role} ${withoutValues(one.name, values)}`]),
    );
  };
  const [was, is] = [names(before), names(after)];
  return was.size !== is.size || [...was].some(([index, name]) => is.get(index) !== name);
}

/** What stands in fields, the longest first. */
const valuesOf = ({ elements }: Observation): string[] =>
  [...new Set(elements.flatMap(({ value }) => value?.replace(/\s+/g, ' ').trim() || []))].sort(
    (one, other) => other.length - one.length,
  );

/** A name without the values of fields: one of a group, a row or a cell has in it what is typed there. */
function withoutValues(name: string, values: readonly string[]): string {
  let rest = ` ${name} `;
  for (const value of values) rest = rest.replaceAll(` ${value} `, ' ');
  return rest.replace(/\s+/g, ' ').trim();
}

/** Where an action is aimed at, when it names a place; in thousandths of what is in view. */
export function actionPoint(action: Action): ViewportPoint | undefined {
  const target = 'target' in action ? action.target : undefined;
  return target && toLocatorChain(target)[0]?.point;
}

/** In thousandths of what is in view, from its upper left corner. */
export interface ViewportPoint {
  readonly x: number;
  readonly y: number;
}

/** What takes input at a place, the smallest first: what lies on top is seldom larger than what it lies on. */
export function elementsAtPoint(place: ViewportPoint, { viewport, elements }: Observation): ElementView[] {
  const x = (place.x / 1000) * viewport.width;
  const y = (place.y / 1000) * viewport.height;
  const area = ({ bounds }: ElementView) => bounds.width * bounds.height;
  return elements
    .filter(
      ({ interactive, bounds }) =>
        interactive && x >= bounds.x && x <= bounds.x + bounds.width && y >= bounds.y && y <= bounds.y + bounds.height,
    )
    .sort((one, other) => area(one) - area(other));
}

/** The element that an action is about, when it names one by its number, its place or the focus. */
export function targetElement(action: Action, seen: Observation): ElementView | undefined {
  const place = actionPoint(action);
  if (place) return elementsAtPoint(place, seen)[0];
  const [locator] = 'target' in action && action.target ? toLocatorChain(action.target) : [];
  const index = locator?.focus ? (seen.focused ?? undefined) : locator?.elementIndex;
  return index === undefined ? undefined : elementByIndex(index, seen);
}

/** Whether an action enters a text. */
export const isTextEntry = (action: Action): action is ActionOf<'fill' | 'type'> =>
  action.action === 'fill' || action.action === 'type';

/** Whether an action types where the caret is. */
export const isAtCaret = ({ target }: ActionOf<'fill' | 'type'>): boolean =>
  target === undefined || toLocatorChain(target).every(({ focus }) => focus === true);

/** The element of a number. */
export const elementByIndex = (index: number, { elements }: Pick<Observation, 'elements'>): ElementView | undefined =>
  elements.find((one) => one.index === index);

/** What is used as a whole: wherever in it a place is, its middle does the same. */
const wholes: ReadonlySet<string> = new Set([
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
 * An action on a place as one on the element that lies there, where that is the same: the surface then notices when it is another by the time.
 * On what is not in the list, or is used at places (a canvas, a slider, a map), the place stays.
 */
export function pointToElement(action: Action, seen: Observation): Action {
  const place = actionPoint(action);
  const element =
    place && action.action !== 'drag' && action.action !== 'scroll' ? elementsAtPoint(place, seen)[0] : undefined;
  return element && wholes.has(element.role)
    ? ({ ...action, target: { elementIndex: element.index } } as Action)
    : action;
}

/** Whether all that takes input in view is something that the list cannot show, such as a drawing that listens for clicks. */
export const isCanvasOnly = ({ elements, opaqueRegions, loading }: Observation): boolean =>
  !loading &&
  opaqueRegions.length > 0 &&
  elements.every(
    ({ interactive, name, bounds }) =>
      !interactive || (name === '' && opaqueRegions.some((one) => isWithin(bounds, one.bounds))),
  );

const isWithin = (inner: Bounds, outer: Bounds): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Fields that offer something as soon as something is typed: what follows has to be chosen from what is there then. */
const suggests = new Set(['combobox', 'searchbox']);

/** Whether nothing may follow the action in its turn, whatever the list looks like right afterwards. */
export function endsTurn(action: Action, seen: Observation): boolean {
  if (
    action.action === 'navigate' ||
    action.action === 'goBack' ||
    action.action === 'goForward' ||
    action.action === 'reload'
  )
    return true;
  if (action.action === 'switchTab' || action.action === 'closeTab') return true;
  return asksForSuggestions(action, seen);
}

/** Whether the page may be about to offer something to choose from. */
export function asksForSuggestions(action: Action, seen: Observation): boolean {
  const field = isTextEntry(action) ? targetElement(action, seen) : undefined;
  return field !== undefined && (suggests.has(field.role) || field.tags.includes('search'));
}

/** Where a page is from: null for what no site sent. */
export function webOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && (parsed.protocol === 'http:' || parsed.protocol === 'https:') ? parsed.origin : null;
}
