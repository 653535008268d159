import { isThinCaret } from './caret-blink.ts';
import type { Rectangle } from './rectangle.ts';

/** Largest area that is compared, in pixels. */
const MAX_AREA = 300_000;

/** Areas that are remembered. An editor can repaint a line in several parts. */
const MAX_AREAS = 8;

/** Time between two changes of a caret in milliseconds, with a reserve for a busy machine. */
const BLINK_INTERVAL_MS = { min: 200, max: 2_000 };

const BYTES_PER_PIXEL = 4;

interface ChangedArea {
  readonly atMs: number;
  /** Null before the area changed at the pace of a caret. */
  readonly pixels: Buffer | null;
  /** Pixels of the comparison before; null: none. */
  readonly earlier: Buffer | null;
}

/**
 * Recognizes the caret of an editor that repaints a whole line for each blink, as Kate does: of an area that changes again and again, only
 * pixels as thin as a caret differ, and it returns to its state before. A bar that grows does not.
 */
export class CaretPixels {
  readonly #read: (area: Rectangle) => Promise<Buffer>;
  readonly #areas = new Map<string, ChangedArea>();

  /** @param read returns the pixels of an area, four bytes each */
  constructor(read: (area: Rectangle) => Promise<Buffer>) {
    this.#read = read;
  }

  /** @returns whether a change is a blink; null: compare the pixels */
  quickAnswer(area: Rectangle, nowMs: number): false | null {
    const key = keyOf(area);
    const intervalMs = nowMs - (this.#areas.get(key)?.atMs ?? -Infinity);
    const isPaced = intervalMs >= BLINK_INTERVAL_MS.min && intervalMs <= BLINK_INTERVAL_MS.max;
    if (isPaced && area.width * area.height <= MAX_AREA) return null;
    this.#remember(key, { atMs: nowMs, pixels: null, earlier: null });
    return false;
  }

  /** Compares an area with its last pixels. @returns true if at most a caret came or went again; false for the first two comparisons of an area */
  async isBlink(area: Rectangle, nowMs: number): Promise<boolean> {
    const key = keyOf(area);
    const { pixels: previous = null, earlier = null } = this.#areas.get(key) ?? {};
    const pixels = Buffer.from(await this.#read(area));
    if (previous?.length !== pixels.length) {
      this.#remember(key, { atMs: nowMs, pixels, earlier: null });
      return false;
    }
    const changed = changedPart(previous, pixels, area.width);
    // Equal pixels say nothing about the state between both.
    this.#remember(key, { atMs: nowMs, pixels, earlier: changed === null ? earlier : previous });
    return changed === null || (isThinCaret(changed) && earlier?.equals(pixels) === true);
  }

  #remember(key: string, area: ChangedArea): void {
    this.#areas.delete(key);
    this.#areas.set(key, area);
    const [oldest] = this.#areas.keys();
    if (this.#areas.size > MAX_AREAS && oldest !== undefined) this.#areas.delete(oldest);
  }
}

const keyOf = ({ x, y, width, height }: Rectangle): string => `${x} ${y} ${width} ${height}`;

/** The smallest rectangle with all pixels that differ; null: they are equal. */
function changedPart(previous: Buffer, pixels: Buffer, width: number): Rectangle | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  const rowBytes = width * BYTES_PER_PIXEL;
  for (let start = 0, y = 0; start < pixels.length; start += rowBytes, y += 1) {
    const [row, previousRow] = [pixels.subarray(start, start + rowBytes), previous.subarray(start, start + rowBytes)];
    if (row.equals(previousRow)) continue;
    const differing = Array.from({ length: width }, (_, x) => x).filter(
      (x) => row.readUInt32LE(x * BYTES_PER_PIXEL) !== previousRow.readUInt32LE(x * BYTES_PER_PIXEL),
    );
    [left, right] = [Math.min(left, differing[0] ?? left), Math.max(right, differing.at(-1) ?? right)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
