/// <reference lib="dom" />
import { pageFunction, type PageHelpers } from './evaluate-functions.ts';
import { takes } from './receives-input.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** An element under the pointer, with its place relative to that. */
export interface Passed {
  readonly element: Element;
  readonly left: number;
  readonly top: number;
}

/** The input of the drop check. */
export interface DropCheck {
  /** Where the pointer is, in pixels of the frame. */
  readonly point: Point;
  /** The dragged element; null: it is in another frame, or gone. */
  readonly source: Element | null;
  /** The elements that were under the pointer before the drop point. */
  readonly passed: readonly Passed[];
}

/** Elements at a point, the topmost first, with those in open shadow roots. */
const stackAt = ({ x, y }: Point, { plain }: Pick<PageHelpers, 'plain'>): Element[] => {
  const inside = (root: Document | ShadowRoot): Element[] =>
    root.elementsFromPoint(x, y).flatMap((one) => {
      const { shadowRoot } = plain(one);
      if (plain(one).getRootNode() !== root) return [];
      return shadowRoot instanceof ShadowRoot ? [...inside(shadowRoot), one] : [one];
    });
  return inside(document);
};

const placeOf = (element: Element, { x, y }: Point, { plain }: Pick<PageHelpers, 'plain'>): Passed => {
  const { left, top } = plain(element).getBoundingClientRect();
  return { element, left: left - x, top: top - y };
};

/** Returns the elements under the pointer. */
export const passedAt = pageFunction(
  (_: Element, point: Point, tools): Passed[] =>
    tools.stackAt(point, tools).map((element) => tools.placeOf(element, point, tools)),
  { stackAt, placeOf },
);

/**
 * Returns why an element would not get a drop, or null. Elements that follow the pointer do not count. The dragged element may also
 * lie where the page has put it.
 */
export const dropHit = pageFunction(
  ([element]: Element[], { point, source, passed }: DropCheck, tools): string | null => {
    /** Pixels by which what follows the pointer may be off. */
    const SLACK = 4;
    if (!element) return 'it was removed from the page';
    const around = (node: Node): Node | null => {
      const { assignedSlot, parentNode } = tools.plain(node as Element);
      return (assignedSlot ?? null) || parentNode || (node instanceof ShadowRoot ? node.host : null);
    };
    const pathFrom = (from: Node) => {
      const path: Node[] = [];
      for (let node: Node | null = from; node; node = around(node)) path.push(node);
      return path;
    };
    const follows = (one: Element) => {
      const now = tools.placeOf(one, point, tools);
      const isNear = (before: Passed) =>
        Math.abs(before.left - now.left) <= SLACK && Math.abs(before.top - now.top) <= SLACK;
      return passed.some((before) => before.element === one && isNear(before));
    };
    for (const one of tools.stackAt(point, tools)) {
      const path = pathFrom(one);
      if (tools.takes(element, path)) return null;
      if (follows(one)) continue;
      return source && path.includes(source) ? null : `it is covered by ${tools.describe(one)}`;
    }
    return 'no element at its position takes input';
  },
  { stackAt, placeOf, takes },
);
