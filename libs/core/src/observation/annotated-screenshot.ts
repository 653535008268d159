import type { Bounds, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Masker } from '../secret/secret-masker.ts';

/* Screenshots for models: secrets are covered, and elements have numbered marks. */

/** An image in pixels of three bytes (red, green, blue), row by row. */
export interface RgbImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A screenshot with marks and covered secrets. */
export interface ModelScreenshot {
  /** A JPEG, in base64. */
  readonly data: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Fingerprint as of `imagePrint`, to detect visible changes. */
  readonly print: readonly number[];
}

type Color = readonly [red: number, green: number, blue: number];

/** Colors of marks, by number modulo the length. Consecutive colors differ. Dark enough for white digits. */
const COLORS: readonly Color[] = [
  [200, 0, 60],
  [0, 90, 200],
  [0, 120, 40],
  [140, 0, 160],
  [170, 80, 0],
  [0, 110, 120],
];
const WHITE: Color = [255, 255, 255];
const COVER_COLOR: Color = [90, 90, 90];

/** Five rows of three pixels for each digit. */
const DIGITS = [
  '111101101101111',
  '010110010010111',
  '111001111100111',
  '111001111001111',
  '101101111001001',
  '111100111001111',
  '111100111101111',
  '111001010010010',
  '111101111101111',
  '111101111001111',
];
/** Image pixels per digit pixel, padding of a label, and width of the line around an element. */
const DOT = 2;
const EDGE = 2;
const LINE = 2;
const DIGIT = { width: 3 * DOT, height: 5 * DOT };

interface PixelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A rectangle of the page in image pixels. */
const boundsInPixels = ({ x, y, width, height }: Bounds, { viewport }: Observation, pixels: RgbImage): PixelBox => {
  const scale = pixels.width / viewport.width;
  return { x: x * scale, y: y * scale, width: width * scale, height: height * scale };
};

/**
 * Regions to cover: filled password fields, and all elements that show a secret of the run. An element with cut text is covered if the
 * page contains a secret anywhere.
 */
export function secretBounds({ elements, text }: Observation, masker: Pick<Masker, 'text'>): Bounds[] {
  const isSecret = (value: string) => masker.text(value) !== value;
  const hasSecretText = text !== undefined && isSecret(text.text);
  return elements
    .filter(
      ({ name, fallbackName = '', value = '', length, secret }) =>
        secret === true || [name, fallbackName, value].some(isSecret) || (hasSecretText && length !== undefined),
    )
    .map(({ bounds }) => bounds);
}

/** Covers areas of the page in its screenshot. */
export function redactBounds(pixels: RgbImage, bounds: readonly Bounds[], observation: Observation): void {
  for (const area of bounds) {
    const { x, y, width, height } = boundsInPixels(area, observation, pixels);
    // Pixels of overhanging letters beside the box.
    fill(pixels, { x: x - LINE, y: y - LINE, width: width + 2 * LINE, height: height + 2 * LINE }, COVER_COLOR);
  }
}

/** Draws a line around each interactive element, and its number in the corner. */
export function drawMarks(pixels: RgbImage, observation: Observation): void {
  for (const { index, interactive, bounds } of observation.elements) {
    if (!interactive) continue;
    const box = boundsInPixels(bounds, observation, pixels);
    const color = COLORS[index % COLORS.length] ?? WHITE;
    const { x, y, width, height } = box;
    fill(pixels, { x, y, width, height: LINE }, color);
    fill(pixels, { x, y: y + height - LINE, width, height: LINE }, color);
    fill(pixels, { x, y, width: LINE, height }, color);
    fill(pixels, { x: x + width - LINE, y, width: LINE, height }, color);
    label(pixels, box, String(index), color);
  }
}

/** A point in thousandths of the viewport. */
export interface ViewportPoint {
  readonly x: number;
  readonly y: number;
}

const toPixels = ({ x, y }: ViewportPoint, { width, height }: RgbImage) => ({
  x: Math.round((x / 1000) * width),
  y: Math.round((y / 1000) * height),
});

/** Size of a detail in pixels. For a cross: distances from its center to the start and the end of its arms. */
const DETAIL = { width: 480, height: 270 };
const ARM = { from: 14, to: 40 };

/** Draws a cross around a point. The point itself stays visible. */
export function drawCross(pixels: RgbImage, point: ViewportPoint): void {
  const { x, y } = toPixels(point, pixels);
  const length = ARM.to - ARM.from;
  for (const [color, thickness] of [
    [WHITE, 3 * LINE],
    [COLORS[0] ?? WHITE, LINE],
  ] as const) {
    const half = thickness / 2;
    for (const start of [-ARM.to, ARM.from]) {
      fill(pixels, { x: x + start, y: y - half, width: length, height: thickness }, color);
      fill(pixels, { x: x - half, y: y + start, width: thickness, height: length }, color);
    }
  }
}

/** Crops the area around a point. */
export function cropAround(pixels: RgbImage, point: ViewportPoint): RgbImage {
  const { x, y } = toPixels(point, pixels);
  const width = Math.min(DETAIL.width, pixels.width);
  const height = Math.min(DETAIL.height, pixels.height);
  const left = Math.min(Math.max(0, x - Math.round(width / 2)), pixels.width - width);
  const top = Math.min(Math.max(0, y - Math.round(height / 2)), pixels.height - height);
  const data = new Uint8Array(3 * width * height);
  for (let row = 0; row < height; row += 1) {
    const rowStart = 3 * ((top + row) * pixels.width + left);
    data.set(pixels.data.subarray(rowStart, rowStart + 3 * width), 3 * row * width);
  }
  return { data, width, height };
}

function label(pixels: RgbImage, { x, y }: PixelBox, number: string, color: Color): void {
  const width = number.length * (DIGIT.width + DOT) - DOT + 2 * EDGE;
  const height = DIGIT.height + 2 * EDGE;
  // Visible even if the corner of the element is outside the image.
  const left = Math.round(Math.min(Math.max(0, x), pixels.width - width));
  const top = Math.round(Math.min(Math.max(0, y), pixels.height - height));
  fill(pixels, { x: left, y: top, width, height }, color);
  [...number].forEach((digit, offset) => {
    const digitLeft = left + EDGE + offset * (DIGIT.width + DOT);
    [...(DIGITS[Number(digit)] ?? '')].forEach((dot, pixelIndex) => {
      const row = Math.floor(pixelIndex / 3);
      if (dot === '1')
        fill(
          pixels,
          { x: digitLeft + (pixelIndex % 3) * DOT, y: top + EDGE + row * DOT, width: DOT, height: DOT },
          WHITE,
        );
    });
  });
}

function fill({ data, width, height }: RgbImage, box: PixelBox, [red, green, blue]: Color): void {
  const left = Math.max(0, Math.round(box.x));
  const right = Math.min(width, Math.round(box.x + box.width));
  const bottom = Math.min(height, Math.round(box.y + box.height));
  for (let y = Math.max(0, Math.round(box.y)); y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      const offset = 3 * (y * width + x);
      data[offset] = red;
      data[offset + 1] = green;
      data[offset + 2] = blue;
    }
}

/** Cells of a fingerprint, and the minimum brightness change of a cell (of 255) that counts. A blinking caret changes less. */
const COLUMNS = 32;
const ROWS = 20;
const MIN_CHANGE = 4;

/** Only every second pixel row is read. */
const ROW_STEP = 2;

/** Brightness of an image's tiles: small enough to store, and sufficient to detect changes. */
export function imagePrint({ data, width, height }: RgbImage): number[] {
  const sums = new Float64Array(COLUMNS * ROWS);
  const counts = new Uint32Array(COLUMNS * ROWS);
  const columns = Uint16Array.from({ length: width }, (_, x) => Math.floor((x * COLUMNS) / width));
  for (let y = 0; y < height; y += ROW_STEP) {
    const row = Math.floor((y * ROWS) / height) * COLUMNS;
    for (let x = 0; x < width; x += 1) {
      const cell = row + (columns[x] ?? 0);
      const offset = 3 * (y * width + x);
      sums[cell] = (sums[cell] ?? 0) + (data[offset] ?? 0) + (data[offset + 1] ?? 0) + (data[offset + 2] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 3;
    }
  }
  return Array.from(sums, (sum, cell) => sum / Math.max(1, counts[cell] ?? 1));
}

/** True if two images differ visibly. */
export const printsDiffer = (previous: readonly number[], current: readonly number[]): boolean =>
  previous.length !== current.length ||
  previous.some((value, cell) => Math.abs(value - (current[cell] ?? 0)) >= MIN_CHANGE);
