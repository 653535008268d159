import type { Action, ElementView, Observation } from '@pilothouse/contract';
import { describeElement } from '../../observation/observation-text.ts';
import { actionPoint } from '../page-queries.ts';
import { elementsWithKeys, isEnter, affectedElements, pointedAt } from './action-effects.ts';

/* Where the input of an action goes, judged before it is sent: addresses of links, of forms, and of buttons that send a form. */

/** An address that an action may send something to. */
export interface Destination {
  readonly url: string;
  /** The element that leads there, for a person. */
  readonly by: string;
  /** What is in the form goes along. @property secret a field for passwords of it has something in it */
  readonly form: { readonly secret: boolean } | null;
}

/** Actions that press something, or may do so by a change. */
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

/** Addresses to which an action on the page may send something. */
export function destinationsOf(action: Action, seen: Observation): Destination[] {
  if (!sending.has(action.action)) return [];
  if (action.action === 'press') return ofKey(action.key, elementsWithKeys(action, seen));
  const meant = action.action === 'drag' ? affectedElements(action, seen) : pointedAt(action, seen);
  return [...meant, ...imagesAt(action, seen)].flatMap(ofUse);
}

const ofUse = (one: ElementView): Destination[] =>
  one.linkUrl === undefined ? [] : [{ url: one.linkUrl, by: describeElement(one), form: formOf(one) }];

/** A key presses what has the focus; Enter in a field sends its form. */
function ofKey(key: string, focused: readonly ElementView[]): Destination[] {
  return focused.flatMap((one) => {
    const [first] = one.formDestinations?.urls ?? [];
    // What Enter presses is known of a field of a form alone.
    const sent = isEnter(key) && one.submitButton !== undefined && first !== undefined;
    return sent ? [{ url: first, by: `the form of ${describeElement(one)}`, form: formOf(one) }] : ofUse(one);
  });
}

const formOf = ({ formDestinations: sends, role }: ElementView): Destination['form'] =>
  sends && role !== 'link' ? { secret: sends.secret === true } : null;

/** Images at a place: the areas of their map are in no list. */
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
