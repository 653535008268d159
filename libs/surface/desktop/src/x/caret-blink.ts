import type { Rectangle } from './rectangle.ts';

/** Largest area that every toolkit repaints only for a caret, in pixels. */
const MAX_CARET = { width: 4, height: 48 };

/** Largest area that Qt repaints for a caret: five pixels on either side. */
const MAX_CARET_AREA = { width: 16, height: 48 };

/** Milliseconds between two changes of a blinking caret, with a reserve for a busy machine. */
const MAX_BLINK_INTERVAL_MS = 2_000;

/** Changes of the same area, one after another, after which it counts as a caret. */
const MIN_CHANGES = 3;

const isWithin = ({ width, height }: Rectangle, limit: { readonly width: number; readonly height: number }): boolean =>
  width <= limit.width && height <= limit.height;

/** True for an area that is as thin as a caret. */
export const isThinCaret = (area: Rectangle): boolean => isWithin(area, MAX_CARET);

/** Recognizes the blinking caret among the changes of a screen. A wider caret is recognized at its third change. */
export class CaretBlink {
  #last: Rectangle | null = null;
  #lastAtMs = -Infinity;
  #changes = 0;

  /** @param nowMs monotonic milliseconds @returns whether this change is a blink */
  isBlink(area: Rectangle, nowMs: number): boolean {
    if (isThinCaret(area)) return true;
    const isRepeated = isSame(area, this.#last) && nowMs - this.#lastAtMs <= MAX_BLINK_INTERVAL_MS;
    this.#changes = isRepeated ? this.#changes + 1 : 1;
    this.#last = area;
    this.#lastAtMs = nowMs;
    return isWithin(area, MAX_CARET_AREA) && this.#changes >= MIN_CHANGES;
  }
}

const isSame = (area: Rectangle, compared: Rectangle | null): boolean =>
  compared !== null &&
  area.x === compared.x &&
  area.y === compared.y &&
  area.width === compared.width &&
  area.height === compared.height;
