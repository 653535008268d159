import type { Action, ElementView, Observation } from '@pilothouse/contract';
import { describeElement } from '../../observation/observation-text.ts';
import { actionPoint } from '../page-queries.ts';
import { elementsWithKeys, isEnter, affectedElements, pointedAt } from './action-effects.ts';

/* Destinations of the input of an action, checked before it is sent: URLs of links, forms and submit buttons. */

/** A URL that an action may send data to. */
export interface Destination {
  readonly url: string;
  /** Description of the element that leads there, for people. */
  readonly by: string;
  /** Set if the values of a form are sent. @property secret a password field of the form is not empty */
  readonly form: { readonly secret: boolean } | null;
}

/** Actions that press a control, or change a value, which may submit a form. */
const sending: ReadonlySet<Action['action']> = new Set([
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
export function destinationsOf(action: Action, seen: Observation): Destination[] {
  if (!sending.has(action.action)) return [];
  if (action.action === 'press') return ofKey(action.key, elementsWithKeys(action, seen));
  const meant = action.action === 'drag' ? affectedElements(action, seen) : pointedAt(action, seen);
  return [...meant, ...imagesAt(action, seen)].flatMap(ofUse);
}

const ofUse = (one: ElementView): Destination[] =>
  one.linkUrl === undefined ? [] : [{ url: one.linkUrl, by: describeElement(one), form: formOf(one) }];

/** Destinations of a key: it activates the focused element; Enter in a field submits its form. */
function ofKey(key: string, focused: readonly ElementView[]): Destination[] {
  return focused.flatMap((one) => {
    const [first] = one.formDestinations?.urls ?? [];
    // The button that Enter presses is known only for fields of a form.
    const sent = isEnter(key) && one.submitButton !== undefined && first !== undefined;
    return sent ? [{ url: first, by: `the form of ${describeElement(one)}`, form: formOf(one) }] : ofUse(one);
  });
}

const formOf = ({ formDestinations: sends, role }: ElementView): Destination['form'] =>
  sends && role !== 'link' ? { secret: sends.secret === true } : null;

/** Images at a point. The element list does not contain the areas of image maps. */
function imagesAt(action: Action, { elements, viewport }: Observation): ElementView[] {
  const place = actionPoint(action);
  if (!place) return [];
  const x = (place.x / 1000) * viewport.width;
  const y = (place.y / 1000) * viewport.height;
  return elements.filter(
    ({ interactive, linkUrl: leads, bounds }) =>
      !interactive &&
      leads !== undefined &&
      x >= bounds.x &&
      x <= bounds.x + bounds.width &&
      y >= bounds.y &&
      y <= bounds.y + bounds.height,
  );
}
