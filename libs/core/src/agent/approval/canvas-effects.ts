import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { Bounds, ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { elementByIndex, elementsAtPoint, actionPoint, type ViewportPoint } from '../page-queries.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import { affectedElements, triggeringActions } from './action-effects.ts';

/*
 * Targets without a name on the page: a canvas, an embedded document, or a screenshot point without a listed element.
 */

/** Possible effects of a canvas. */
const CANVAS_EFFECTS: readonly ApprovalEffect[] = ['pay', 'delete', 'send'];

/**
 * Point that a model must identify before the action, because the page does not name the effect. It is a point of a screenshot, or an unnamed
 * element in a canvas. Thousandths of the viewport.
 * @returns null if the page names the effect, there is none, or the workflow allows every possible effect
 */
export function canvasPointToIdentify(
  action: Action,
  page: Observation,
  { autoApprove }: Pick<ApprovalPolicy, 'autoApprove'>,
): ViewportPoint | null {
  if (
    !triggeringActions.has(action.action) ||
    autoApprove.has('canvas') ||
    CANVAS_EFFECTS.every((kind) => autoApprove.has(kind))
  )
    return null;
  // The drop target decides the effect of a drag.
  const dropPoint = action.action === 'drag' ? canvasDropPoint(action, page) : undefined;
  const point = dropPoint ?? actionPoint(action);
  // A click into a field only sets its caret or its value, even beside icons in the field.
  const isHarmless = dropPoint ? isTextField : isField;
  if (point) return isHarmless(elementsAtPoint(point, page)[0]) ? null : point;
  const [element] = affectedElements(action, page);
  if (
    element?.name !== '' ||
    isTextField(element) ||
    !page.opaqueRegions.some(({ bounds }) => overlap(element.bounds, bounds))
  )
    return null;
  return centerOf(element.bounds, page);
}

/** Drop point on a canvas: a point, or a position in an unnamed canvas element. */
function canvasDropPoint({ to: dropTarget, position }: ActionOf<'drag'>, page: Observation): ViewportPoint | undefined {
  const [locator] = dropTarget ? toLocatorChain(dropTarget) : [];
  if (locator?.point) return locator.point;
  const element = locator?.elementIndex === undefined ? undefined : elementByIndex(locator.elementIndex, page);
  if (element?.name !== '' || !page.opaqueRegions.some(({ bounds }) => overlap(element.bounds, bounds)))
    return undefined;
  const { bounds } = element;
  if (!position) return centerOf(bounds, page);
  return centerOf({ x: bounds.x + position.x, y: bounds.y + position.y, width: 0, height: 0 }, page);
}

const isTextField = (element: ElementView | undefined): boolean =>
  element?.role === 'textbox' || element?.role === 'searchbox';

/** Roles of fields that hold a value. Sliders are left out, because pages confirm by "slide to pay". */
const VALUE_ROLES: ReadonlySet<string> = new Set('spinbutton date time datetime-local month week'.split(' '));

const isField = (element: ElementView | undefined): boolean =>
  isTextField(element) || (element !== undefined && VALUE_ROLES.has(element.role));

const overlap = (first: Bounds, second: Bounds): boolean =>
  first.x < second.x + second.width &&
  second.x < first.x + first.width &&
  first.y < second.y + second.height &&
  second.y < first.y + first.height;

const centerOf = ({ x, y, width, height }: Bounds, { viewport }: Observation): ViewportPoint => ({
  x: Math.round((1000 * (x + width / 2)) / viewport.width),
  y: Math.round((1000 * (y + height / 2)) / viewport.height),
});
