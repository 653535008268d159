import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { describeElement } from '../../observation/observation-text.ts';
import { actionPoint } from '../page-queries.ts';
import { elementsWithKeys, isEnter, affectedElements, targetElements } from './action-effects.ts';

/* Destinations of an action's input, checked before it is sent: URLs of links, forms and submit buttons. */

/** A URL that an action may send data to. */
export interface Destination {
  readonly url: string;
  /** Description of the element that leads there, for people. */
  readonly element: string;
  /** Set if the values of a form are sent. @property secret a password field of the form is not empty */
  readonly form: { readonly secret: boolean } | null;
}

/** Actions that press a control, or change a value, which may submit a form. */
const SUBMITTING_ACTIONS: ReadonlySet<Action['action']> = new Set([
  'click',
  'press',
  'drag',
  'check',
  'uncheck',
  'selectOption',
  'download',
  'fill',
  'type',
]);

/** Destinations of an action. */
export function destinationsOf(action: Action, page: Observation): Destination[] {
  if (!SUBMITTING_ACTIONS.has(action.action)) return [];
  if (action.action === 'press') return keyDestinations(action.key, elementsWithKeys(action, page));
  const targets = action.action === 'drag' ? affectedElements(action, page) : targetElements(action, page);
  return [...targets, ...imagesAt(action, page)].flatMap(linkDestinations);
}

const linkDestinations = (element: ElementView): Destination[] =>
  element.linkUrl === undefined
    ? []
    : [{ url: element.linkUrl, element: describeElement(element), form: submittedForm(element) }];

/** Destinations of a key: it activates the focused element; Enter in a field submits its form. */
function keyDestinations(key: string, focused: readonly ElementView[]): Destination[] {
  return focused.flatMap((element) => {
    const [firstUrl] = element.formDestinations?.urls ?? [];
    // The button that Enter presses is known only for fields of a form.
    const isSubmitted = isEnter(key) && element.submitButton !== undefined && firstUrl !== undefined;
    return isSubmitted
      ? [{ url: firstUrl, element: `the form of ${describeElement(element)}`, form: submittedForm(element) }]
      : linkDestinations(element);
  });
}

const submittedForm = ({ formDestinations: destinations, role }: ElementView): Destination['form'] =>
  destinations && role !== 'link' ? { secret: destinations.secret === true } : null;

/** Images at a point. The element list does not contain the areas of image maps. */
function imagesAt(action: Action, { elements, viewport }: Observation): ElementView[] {
  const point = actionPoint(action);
  if (!point) return [];
  const x = (point.x / 1000) * viewport.width;
  const y = (point.y / 1000) * viewport.height;
  return elements.filter(
    ({ interactive, linkUrl: url, bounds }) =>
      !interactive &&
      url !== undefined &&
      x >= bounds.x &&
      x <= bounds.x + bounds.width &&
      y >= bounds.y &&
      y <= bounds.y + bounds.height,
  );
}
