/// <reference lib="dom" />
import type { DomTree } from './dom-tree.ts';
import { plain } from './native-properties.ts';

/** Document in the coordinates of the outermost document of the snapshot. */
export interface FrameViewport {
  readonly document: Document;
  /** The frame element that contains it, and the viewport of that element. */
  readonly frameElement: Element | null;
  readonly outer: FrameViewport | null;
  /** Position of its top left corner, and size of its pixels. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Its visible part in its own pixels. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Determines the visible and clickable parts of elements. */
export function visibility(tree: DomTree) {
  /** Returns the visible part of a box, or null if it is smaller than half a pixel. */
  const clip = (box: Box, limits: Box): Box | null => {
    const left = Math.max(box.left, limits.left);
    const top = Math.max(box.top, limits.top);
    const right = Math.min(box.right, limits.right);
    const bottom = Math.min(box.bottom, limits.bottom);
    return right - left >= 0.5 && bottom - top >= 0.5 ? { left, top, right, bottom } : null;
  };

  /** Returns the visible part of a box after clipping by its ancestors. */
  const clippedBox = (element: Element, box: Box, viewport: FrameViewport): Box | null => {
    let visiblePart = clip(box, viewport);
    for (let node = tree.parentOf(element); node && visiblePart; node = tree.parentOf(node)) {
      const { overflowX, overflowY } = getComputedStyle(node);
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      if (node === viewport.document.body || node === viewport.document.documentElement) continue;
      const rect = plain(node).getBoundingClientRect();
      visiblePart = clip(visiblePart, {
        left: overflowX === 'visible' ? -Infinity : rect.left,
        right: overflowX === 'visible' ? Infinity : rect.right,
        top: overflowY === 'visible' ? -Infinity : rect.top,
        bottom: overflowY === 'visible' ? Infinity : rect.bottom,
      });
    }
    return visiblePart;
  };

  /** Returns the element hit by a point of a frame, unless an element outside of the frame covers it. */
  const hit = (viewport: FrameViewport, x: number, y: number): Element | null => {
    const hitElement = tree.hitAt(viewport.document, x, y);
    if (!hitElement || !viewport.outer || !viewport.frameElement) return hitElement;
    const outer = viewport.outer;
    const scale = viewport.scale / outer.scale;
    const outerHit = hit(
      outer,
      (viewport.x - outer.x) / outer.scale + x * scale,
      (viewport.y - outer.y) / outer.scale + y * scale,
    );
    return outerHit === viewport.frameElement ? hitElement : null;
  };

  /** Relative positions in a box that are hit-tested, the center first. */
  const TEST_POINTS = [
    [0.5, 0.5],
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.25],
    [0.5, 0.75],
    [0.1, 0.15],
    [0.9, 0.15],
    [0.1, 0.85],
    [0.9, 0.85],
  ] as const;

  const tryBox = (
    element: Element,
    box: Box,
    viewport: FrameViewport,
    testCount: number,
    isIntercepted: (hit: Element) => boolean,
  ): { x: number; y: number; isDirect: boolean } | null => {
    let fallback: { x: number; y: number; isDirect: boolean } | null = null;
    for (let index = 0; index < testCount; index += 1) {
      const [relativeX, relativeY] = TEST_POINTS[index] as readonly [number, number];
      const x = box.left + (box.right - box.left) * relativeX;
      const y = box.top + (box.bottom - box.top) * relativeY;
      const hitElement = hit(viewport, x, y);
      if (!hitElement || !tree.receivesHit(element, hitElement)) continue;
      if (!isIntercepted(hitElement)) return { x, y, isDirect: true };
      fallback ??= { x, y, isDirect: false };
    }
    return fallback;
  };

  /**
   * Returns a point of the frame where a click reaches the element, if possible without another listed element in
   * between.
   * @param isIntercepted true if the hit element inside handles the click itself
   */
  const pointOf = (
    element: Element,
    viewport: FrameViewport,
    rect: DOMRect,
    isIntercepted: (hit: Element) => boolean,
  ): { x: number; y: number } | null => {
    const visiblePart = clip(rect, viewport);
    let fallback: { x: number; y: number } | null = null;
    if (visiblePart) {
      const first = tryBox(element, visiblePart, viewport, 5, isIntercepted);
      if (first?.isDirect) return first;
      fallback = first;
    }
    // The center of a link over two lines may be empty, and clipping moves the center.
    const rects = plain(element).getClientRects();
    for (let index = 0; index < Math.min(rects.length, 4); index += 1) {
      const visibleBox = clippedBox(element, rects[index] as DOMRect, viewport);
      const hitElement = visibleBox && tryBox(element, visibleBox, viewport, 9, isIntercepted);
      if (hitElement?.isDirect) return hitElement;
      fallback ??= hitElement;
    }
    return fallback;
  };

  return { clip, clippedBox, hit, pointOf };
}

export type Visibility = ReturnType<typeof visibility>;
