/// <reference lib="dom" />
import type { ElementFacts } from './element-facts.ts';
import type { FrameViewport, Visibility } from './visibility.ts';
import type { DomTree } from './dom-tree.ts';
import type { Candidate } from './walk-result.ts';

/** Determines where candidates can be clicked. */
export function clickPoints(tree: DomTree, facts: ElementFacts, visibility: Visibility) {
  /** True if another opaque element covers the center of the visible part. */
  const isCovered = (element: Element, viewport: FrameViewport, rect: DOMRect): boolean => {
    const box = visibility.clippedBox(element, rect, viewport);
    if (!box) return true;
    const x = (box.left + box.right) / 2;
    const y = (box.top + box.bottom) / 2;
    const hit = tree.hitAt(viewport.document, x, y);
    if (viewport.outer && hit && !visibility.hit(viewport, x, y)) return true;
    if (!hit || tree.receivesHit(element, hit)) return false;
    for (let node: Element | null = hit; node; node = tree.parentOf(node)) {
      if (tree.receivesHit(node, element)) return false;
      const { backgroundColor, backgroundImage } = getComputedStyle(node);
      const alpha = /^rgba\(.*,\s*([\d.]+)\)$/.exec(backgroundColor)?.[1];
      if (alpha === undefined || parseFloat(alpha) > 0.3 || backgroundImage !== 'none') return true;
      if (['img', 'canvas', 'video', 'iframe'].includes(node.localName)) return true;
    }
    return false;
  };

  /** Returns a point of a candidate that is visible and can be hit, otherwise null. */
  const pointOf = (
    candidate: Candidate,
    interactiveElements: ReadonlySet<Element>,
  ): { x: number; y: number } | null => {
    const { element, proxy, viewport, rect, kind } = candidate;
    const clickTarget = proxy ?? element;
    const visibleCenter = () => {
      const box = visibility.clippedBox(clickTarget, rect, viewport);
      return box && { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    };
    if (kind === 'text') return isCovered(element, viewport, rect) ? null : visibleCenter();
    const isIntercepted = (hit: Element) => {
      for (let node: Element | null = hit; node && node !== clickTarget; node = tree.parentOf(node))
        if (interactiveElements.has(node)) return true;
      return false;
    };
    const point = visibility.pointOf(clickTarget, viewport, rect, isIntercepted);
    if (point) return point;
    return facts.isDisabled(element) && !isCovered(clickTarget, viewport, rect) ? visibleCenter() : null;
  };

  return { pointOf };
}

export type ClickPoints = ReturnType<typeof clickPoints>;
