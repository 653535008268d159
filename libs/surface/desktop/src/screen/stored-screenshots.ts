import { isThinCaret } from '../x/caret-blink.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { ScreenImage } from '../x/screen-capture.ts';

/** The last screenshots for the screen parser. A click compares its target with the screenshot that the target comes from. */
export class StoredScreenshots {
  readonly #images = new Map<number, ScreenImage>();
  #lastId = 0;

  /**
   * Stores a screenshot, and removes all others except one.
   * @param keptId id of the screenshot that stays; null: none
   * @returns id of the new one
   */
  add(image: ScreenImage, keptId: number | null): number {
    for (const id of this.#images.keys()) if (id !== keptId) this.#images.delete(id);
    this.#lastId += 1;
    this.#images.set(this.#lastId, image);
    return this.#lastId;
  }

  /** True if the screen shows the same pixels in a region, except for a caret. False if the screenshot is not stored. */
  isUnchanged(id: number, region: Rectangle, screen: ScreenImage): boolean {
    const stored = this.#images.get(id);
    if (!stored || stored.width !== screen.width || stored.height !== screen.height) return false;
    const difference = differenceOf(stored, screen, region);
    return difference === null || isThinCaret(difference);
  }
}

/** Smallest rectangle of a region with all pixels that differ; null: all are equal. Both images have one size. */
function differenceOf(first: ScreenImage, second: ScreenImage, region: Rectangle): Rectangle | null {
  const { width, height } = first;
  const [firstPixels, secondPixels] = [pixelsOf(first), pixelsOf(second)];
  let [left, top, right, bottom] = [width, height, -1, -1];
  const end = { x: Math.min(width, region.x + region.width), y: Math.min(height, region.y + region.height) };
  for (let y = Math.max(0, region.y); y < end.y; y += 1)
    for (let x = Math.max(0, region.x); x < end.x; x += 1) {
      if (firstPixels[y * width + x] === secondPixels[y * width + x]) continue;
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
    }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

const pixelsOf = ({ data, width, height }: ScreenImage): Uint32Array =>
  new Uint32Array(data.buffer, data.byteOffset, width * height);
