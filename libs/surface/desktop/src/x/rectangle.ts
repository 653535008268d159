/** A part of the screen, in pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** True if a rectangle is inside another one, edges included. @param tolerancePx pixels by which it may extend beyond the outer one */
export const isInside = (inner: Rectangle, outer: Rectangle, tolerancePx = 0): boolean =>
  inner.x >= outer.x - tolerancePx &&
  inner.y >= outer.y - tolerancePx &&
  inner.x + inner.width <= outer.x + outer.width + tolerancePx &&
  inner.y + inner.height <= outer.y + outer.height + tolerancePx;

/** True if two rectangles have the same position and size. */
export const isEqualRectangle = (first: Rectangle | undefined, second: Rectangle): boolean =>
  first !== undefined &&
  first.x === second.x &&
  first.y === second.y &&
  first.width === second.width &&
  first.height === second.height;
