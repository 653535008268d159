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

/** True if two rectangles have a pixel in common. */
export const isIntersecting = (first: Rectangle, second: Rectangle): boolean =>
  first.x < second.x + second.width &&
  second.x < first.x + first.width &&
  first.y < second.y + second.height &&
  second.y < first.y + first.height;

/** The parts of a rectangle that no other one covers. */
export function subtractRectangles(rectangle: Rectangle, others: readonly Rectangle[]): Rectangle[] {
  let parts = [rectangle];
  for (const cutout of others)
    parts = parts.flatMap((part) => (isIntersecting(part, cutout) ? subtract(part, cutout) : [part]));
  return parts;
}

function subtract(part: Rectangle, cutout: Rectangle): Rectangle[] {
  const right = part.x + part.width;
  const bottom = part.y + part.height;
  const top = Math.max(part.y, cutout.y);
  const end = Math.min(bottom, cutout.y + cutout.height);
  return [
    { x: part.x, y: part.y, width: part.width, height: top - part.y },
    { x: part.x, y: end, width: part.width, height: bottom - end },
    { x: part.x, y: top, width: cutout.x - part.x, height: end - top },
    { x: cutout.x + cutout.width, y: top, width: right - cutout.x - cutout.width, height: end - top },
  ].filter(({ width, height }) => width > 0 && height > 0);
}

/** Smallest rectangle that contains all rectangles. @param rectangles at least one */
export function boundingRectangle(rectangles: readonly Rectangle[]): Rectangle {
  const x = Math.min(...rectangles.map((each) => each.x));
  const y = Math.min(...rectangles.map((each) => each.y));
  const right = Math.max(...rectangles.map((each) => each.x + each.width));
  const bottom = Math.max(...rectangles.map((each) => each.y + each.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** True if two rectangles have the same position and size. */
export const isEqualRectangle = (first: Rectangle | undefined, second: Rectangle): boolean =>
  first !== undefined &&
  first.x === second.x &&
  first.y === second.y &&
  first.width === second.width &&
  first.height === second.height;
