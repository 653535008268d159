import {
  toLocatorChain,
  type Action,
  type ActionOf,
  type Bounds,
  type ElementView,
  type ApprovalEffect,
  type Observation,
} from '@pilothouse/contract';
import { elementByIndex, elementsAtPoint, actionPoint, type ViewportPoint } from '../page-queries.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import { affectedElements, triggeringActions } from './action-effects.ts';

/* What has no name on the page: a canvas, an embedded document, whatever a place in a picture shows that is not in the list. */

/** Kinds that a drawing may be of. */
const kinds: readonly ApprovalEffect[] = ['pay', 'delete', 'send'];

/**
 * Where somebody has to look apart before an action is done, because the page itself does not say what it sets off: a place in a picture, or
 * what has no name and lies in a drawing. In thousandths of what is in view.
 * @returns null where the page says it, it sets nothing off, or the workflow allows whatever it may be
 */
export function canvasPointToIdentify(
  action: Action,
  seen: Observation,
  { autoApprove }: Pick<ApprovalPolicy, 'autoApprove'>,
): ViewportPoint | null {
  if (
    !triggeringActions.has(action.action) ||
    autoApprove.has('canvas') ||
    kinds.every((kind) => autoApprove.has(kind))
  )
    return null;
  // What is dragged is set off by where it is dropped.
  const end = action.action === 'drag' ? dropOf(action, seen) : undefined;
  const place = end ?? actionPoint(action);
  // A click into a field puts the caret there, also beside icons in the field.
  if (place) return isField(elementsAtPoint(place, seen)[0]) ? null : place;
  const [one] = affectedElements(action, seen);
  if (one?.name !== '' || isField(one) || !seen.opaqueRegions.some(({ bounds }) => overlap(one.bounds, bounds)))
    return null;
  return middleOf(one.bounds, seen);
}

/** Where something is dropped on what is drawn: a place, or a point in an element without a name that is a drawing. */
function dropOf({ to, position }: ActionOf<'drag'>, seen: Observation): ViewportPoint | undefined {
  const [end] = to ? toLocatorChain(to) : [];
  if (end?.point) return end.point;
  const one = end?.elementIndex === undefined ? undefined : elementByIndex(end.elementIndex, seen);
  if (one?.name !== '' || !seen.opaqueRegions.some(({ bounds }) => overlap(one.bounds, bounds))) return undefined;
  const { bounds } = one;
  if (!position) return middleOf(bounds, seen);
  return middleOf({ x: bounds.x + position.x, y: bounds.y + position.y, width: 0, height: 0 }, seen);
}

const isField = (one: ElementView | undefined): boolean => one?.role === 'textbox' || one?.role === 'searchbox';

const overlap = (one: Bounds, other: Bounds): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

const middleOf = ({ x, y, width, height }: Bounds, { viewport }: Observation): ViewportPoint => ({
  x: Math.round((1000 * (x + width / 2)) / viewport.width),
  y: Math.round((1000 * (y + height / 2)) / viewport.height),
});
