import { PilothouseError, type Locator } from '@pilothouse/contract';
import { describeLocator } from '@pilothouse/core';
import { pageFunction } from '../page/in-page.ts';

/** A rectangle in CSS pixels. */
export interface ElementBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const boundingBoxes = pageFunction((elements: Element[]): ElementBox[] =>
  elements.map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  }),
);

const gap = (from: number, to: number, otherFrom: number, otherTo: number) =>
  Math.max(0, otherFrom - to, from - otherTo);

const middle = ({ left, top, right, bottom }: ElementBox) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** Pixels by which a box may reach over an edge and still count as beyond it. */
const SLACK = 2;

function isBeyond(box: ElementBox, anchor: ElementBox, side: NonNullable<Locator['side']>): boolean {
  switch (side) {
    case 'right':
      return box.left >= anchor.right - SLACK;
    case 'left':
      return box.right <= anchor.left + SLACK;
    case 'below':
      return box.top >= anchor.bottom - SLACK;
    case 'above':
      return box.bottom <= anchor.top + SLACK;
  }
}

/**
 * Which box is the nearest to another one: by the gap between them, then by the distance of their middles. To one side what is not in
 * the same row, or column, is farther by twice as much as it is off.
 * @returns -1 when none is on that side
 */
export function nearestIndex(boxes: readonly ElementBox[], anchor: ElementBox, side: Locator['side']): number {
  const far = boxes.map((box, index) => {
    const across = gap(box.left, box.right, anchor.left, anchor.right);
    const along = gap(box.top, box.bottom, anchor.top, anchor.bottom);
    const isRow = side === 'left' || side === 'right';
    const off = side === undefined ? Math.hypot(across, along) : isRow ? across + 3 * along : along + 3 * across;
    const [one, other] = [middle(box), middle(anchor)];
    return { index, off, apart: Math.hypot(one.x - other.x, one.y - other.y), box };
  });
  const isSame = ({ box }: { box: ElementBox }) =>
    box.left === anchor.left && box.top === anchor.top && box.right === anchor.right && box.bottom === anchor.bottom;
  const there = far.filter((one) => !isSame(one) && (side === undefined || isBeyond(one.box, anchor, side)));
  there.sort((one, other) => one.off - other.off || one.apart - other.apart);
  return there[0]?.index ?? -1;
}

/** The one box to be near to. @throws PilothouseError TARGET_AMBIGUOUS */
export function soleBox(boxes: readonly ElementBox[], near: Locator): ElementBox | null {
  if (boxes.length > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${describeLocator(near)} matches ${boxes.length} elements to be near to; say which with nth`,
      { details: { locator: describeLocator(near), count: boxes.length } },
    );
  }
  return boxes[0] ?? null;
}
