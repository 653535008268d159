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

/* Targets without a name on the page: a canvas, an embedded document, or a point of a screenshot without a listed element. */

/** Possible effects of a canvas. */
const kinds: readonly ApprovalEffect[] = ['pay', 'delete', 'send'];

/**
 * Point that a model must identify before the action, because the page does not name the effect: a point of a screenshot, or a nameless
 * element in a canvas. Thousandths of the viewport.
 * @returns null if the page names the effect, there is none, or the workflow allows every possible effect
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
  // The drop target decides the effect of a drag.
  const end = action.action === 'drag' ? dropOf(action, seen) : undefined;
  const place = end ?? actionPoint(action);
  // A click into a field only sets the caret, even beside icons in the field.
  if (place) return isField(elementsAtPoint(place, seen)[0]) ? null : place;
  const [one] = affectedElements(action, seen);
  if (one?.name !== '' || isField(one) || !seen.opaqueRegions.some(({ bounds }) => overlap(one.bounds, bounds)))
    return null;
  return middleOf(one.bounds, seen);
}

/** Drop point on a canvas: a point, or a position in a nameless canvas element. */
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
