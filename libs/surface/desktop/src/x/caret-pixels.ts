import { isThinCaret } from './caret-blink.ts';
import { isEqualRectangle, type Rectangle } from './rectangle.ts';

/** Largest height of a line that an editor repaints for its caret, in pixels. */
const MAX_LINE_HEIGHT = 64;

const BYTES_PER_PIXEL = 4;

/** Pixels of an area, four bytes each. */
export type AreaReader = (area: Rectangle) => Promise<Buffer>;

/**
 * Recognizes the caret of an editor that repaints a whole line for each blink, as Kate does: of an area that changes again, only pixels as
 * thin as a caret differ.
 */
export class CaretPixels {
  readonly #read: AreaReader;
  #area: Rectangle | undefined;
  #pixels: Buffer | null = null;

  constructor(read: AreaReader) {
    this.#read = read;
  }

  /** Compares a changed area with its last pixels. @returns false for the first change of an area */
  async isBlink(area: Rectangle): Promise<boolean> {
    if (area.height > MAX_LINE_HEIGHT) {
      this.#area = undefined;
      return false;
    }
    const pixels = Buffer.from(await this.#read(area));
    const previous = isEqualRectangle(this.#area, area) ? this.#pixels : null;
    this.#area = area;
    this.#pixels = pixels;
    const changed = previous && changedPart(previous, pixels, area.width);
    return changed !== null && isThinCaret(changed);
  }
}

/** The smallest rectangle with all pixels that differ; null if none or the sizes differ. */
function changedPart(previous: Buffer, pixels: Buffer, width: number): Rectangle | null {
  if (previous.length !== pixels.length) return null;
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let offset = 0; offset < pixels.length; offset += BYTES_PER_PIXEL) {
    if (pixels.readUInt32LE(offset) === previous.readUInt32LE(offset)) continue;
    const index = offset / BYTES_PER_PIXEL;
    const [x, y] = [index % width, Math.floor(index / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
