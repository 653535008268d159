/// <reference lib="dom" />
import { pageFunction, type PageHelpers } from './evaluate-functions.ts';
import { receivesInput } from './receives-input.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Element under the pointer with its offset from the pointer. */
export interface CrossedElement {
  readonly element: Element;
  readonly left: number;
  readonly top: number;
}

/** Input of the drop check. */
export interface DropCheck {
  /** Pointer position in pixels of the frame. */
  readonly point: Point;
  /** The dragged element; null if it is in another frame or was removed. */
  readonly source: Element | null;
  /** Elements that were under the pointer before the drop point. */
  readonly crossed: readonly CrossedElement[];
}

/** Returns the elements at a point, topmost first, including open shadow roots. */
const stackAt = ({ x, y }: Point, { plain }: Pick<PageHelpers, 'plain'>): Element[] => {
  const inside = (root: Document | ShadowRoot): Element[] =>
    root.elementsFromPoint(x, y).flatMap((hit) => {
      const { shadowRoot } = plain(hit);
      if (plain(hit).getRootNode() !== root) return [];
      return shadowRoot instanceof ShadowRoot ? [...inside(shadowRoot), hit] : [hit];
    });
  return inside(document);
};

const offsetFromPointer = (
  element: Element,
  { x, y }: Point,
  { plain }: Pick<PageHelpers, 'plain'>,
): CrossedElement => {
  const { left, top } = plain(element).getBoundingClientRect();
  return { element, left: left - x, top: top - y };
};

/** Returns the elements under the pointer. */
export const elementsAtPoint = pageFunction(
  (_: Element, point: Point, tools): CrossedElement[] =>
    tools.stackAt(point, tools).map((element) => tools.offsetFromPointer(element, point, tools)),
  { stackAt, offsetFromPointer },
);

/**
 * Returns why an element would not receive a drop, or null. Elements that follow the pointer are ignored. The dragged
 * element may also lie where the page moved it.
 */
export const dropHit = pageFunction(
  ([element]: Element[], { point, source, crossed }: DropCheck, tools): string | null => {
    /** Tolerance in pixels for elements that follow the pointer. */
    const TOLERANCE_PX = 4;
    if (!element) return 'it was removed from the page';
    const parentOf = (node: Node): Node | null => {
      const { assignedSlot, parentNode } = tools.plain(node as Element);
      return (assignedSlot ?? null) || parentNode || (node instanceof ShadowRoot ? node.host : null);
    };
    const pathFrom = (start: Node) => {
      const path: Node[] = [];
      for (let node: Node | null = start; node; node = parentOf(node)) path.push(node);
      return path;
    };
    const follows = (hit: Element) => {
      const current = tools.offsetFromPointer(hit, point, tools);
      const isNear = (previous: CrossedElement) =>
        Math.abs(previous.left - current.left) <= TOLERANCE_PX && Math.abs(previous.top - current.top) <= TOLERANCE_PX;
      return crossed.some((previous) => previous.element === hit && isNear(previous));
    };
    for (const hit of tools.stackAt(point, tools)) {
      const path = pathFrom(hit);
      if (tools.receivesInput(element, path)) return null;
      if (follows(hit)) continue;
      return source && path.includes(source) ? null : `it is covered by ${tools.describe(hit)}`;
    }
    return 'no element at its position takes input';
  },
  { stackAt, offsetFromPointer, receivesInput },
);
