/// <reference lib="dom" />
import type { DomTree } from './dom-tree.script.ts';

/** A document in the coordinates of the outermost one that is looked at. */
export interface FrameViewport {
  readonly document: Document;
  /** The frame element it is in, and the sheet of that. */
  readonly holder: Element | null;
  readonly outer: FrameViewport | null;
  /** Where its upper left corner is, and how large its pixels are. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** What of it can be seen, in its own pixels. */
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

/** Where a person could see and hit an element. */
export function visibility(tree: DomTree) {
  /** The part of a box that can be seen, or null. Less than half a pixel is nothing. */
  const within = (box: Box, limits: Box): Box | null => {
    const left = Math.max(box.left, limits.left);
    const top = Math.max(box.top, limits.top);
    const right = Math.min(box.right, limits.right);
    const bottom = Math.min(box.bottom, limits.bottom);
    return right - left >= 0.5 && bottom - top >= 0.5 ? { left, top, right, bottom } : null;
  };

  /** The same, and nothing that an ancestor cuts off. */
  const clipped = (element: Element, box: Box, sheet: FrameViewport): Box | null => {
    let seen = within(box, sheet);
    for (let node = tree.parentOf(element); node && seen; node = tree.parentOf(node)) {
      const { overflowX, overflowY } = getComputedStyle(node);
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      if (node === sheet.document.body || node === sheet.document.documentElement) continue;
      const rect = tree.plain(node).getBoundingClientRect();
      seen = within(seen, {
        left: overflowX === 'visible' ? -Infinity : rect.left,
        right: overflowX === 'visible' ? Infinity : rect.right,
        top: overflowY === 'visible' ? -Infinity : rect.top,
        bottom: overflowY === 'visible' ? Infinity : rect.bottom,
      });
    }
    return seen;
  };

  /** What a point of a sheet hits, when nothing outside lies over it. */
  const hit = (sheet: FrameViewport, x: number, y: number): Element | null => {
    const found = tree.hitAt(sheet.document, x, y);
    if (!found || !sheet.outer || !sheet.holder) return found;
    const outer = sheet.outer;
    const scale = sheet.scale / outer.scale;
    const over = hit(
      outer,
      (sheet.x - outer.x) / outer.scale + x * scale,
      (sheet.y - outer.y) / outer.scale + y * scale,
    );
    return over === sheet.holder ? found : null;
  };

  /** Shares of a box at which it is asked what lies there, the middle first. */
  const PLACES = [
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
    sheet: FrameViewport,
    places: number,
    other: (hit: Element) => boolean,
  ): { x: number; y: number; own: boolean } | null => {
    let second: { x: number; y: number; own: boolean } | null = null;
    for (let index = 0; index < places; index += 1) {
      const [across, down] = PLACES[index] as readonly [number, number];
      const x = box.left + (box.right - box.left) * across;
      const y = box.top + (box.bottom - box.top) * down;
      const found = hit(sheet, x, y);
      if (!found || !tree.takes(element, found)) continue;
      if (!other(found)) return { x, y, own: true };
      second ??= { x, y, own: false };
    }
    return second;
  };

  /**
   * A point of the sheet at which a click goes to the element; one at which no other entry lies in between, when there is one.
   * @param other says whether something inside the element that is hit takes the click for itself
   */
  const pointOf = (
    element: Element,
    sheet: FrameViewport,
    rect: DOMRect,
    other: (hit: Element) => boolean,
  ): { x: number; y: number } | null => {
    const seen = within(rect, sheet);
    let second: { x: number; y: number } | null = null;
    if (seen) {
      const first = tryBox(element, seen, sheet, 5, other);
      if (first?.own) return first;
      second = first;
    }
    /* A link over two lines has nothing in the middle, and what is cut off has its middle elsewhere. */
    const rects = tree.plain(element).getClientRects();
    for (let index = 0; index < Math.min(rects.length, 4); index += 1) {
      const part = clipped(element, rects[index] as DOMRect, sheet);
      const found = part && tryBox(element, part, sheet, 9, other);
      if (found?.own) return found;
      second ??= found;
    }
    return second;
  };

  return { within, clipped, hit, pointOf };
}

export type Visibility = ReturnType<typeof visibility>;
