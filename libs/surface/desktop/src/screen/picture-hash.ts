import sharp from 'sharp';
import type { ScreenImage } from '../x/screen-capture.ts';

/** Pixels of a side of the reduced picture, and frequencies of it that count. */
const SIDE = 32;
const FREQUENCIES = 8;

/** Distance from the median, near which the values of a plain picture lie. A caret changes a value by about 40. */
const MARGIN = 200;

/** `COSINES[frequency][position]` of the discrete cosine transform (DCT-II). */
const COSINES = Array.from({ length: FREQUENCIES }, (_, frequency) =>
  Array.from({ length: SIDE }, (_, position) => Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * SIDE))),
);

/**
 * Perceptual hash of a picture: for each of its 64 lowest frequencies, whether it is clearly above the median. Pictures that differ in a caret or by
 * compression mostly have one hash; pictures that differ in a few characters can have one, too.
 * @returns 16 hexadecimal digits
 */
export async function pictureHash({ width, height, data }: ScreenImage): Promise<string> {
  const pixels = await sharp(data, { raw: { width, height, channels: 4 } })
    .greyscale()
    .resize(SIDE, SIDE, { fit: 'fill' })
    .raw()
    .toBuffer();
  const rows = COSINES.map((cosines) =>
    Array.from({ length: SIDE }, (_, row) =>
      cosines.reduce((sum, cosine, column) => sum + cosine * (pixels[row * SIDE + column] ?? 0), 0),
    ),
  );
  const values = rows.flatMap((row) =>
    COSINES.map((cosines) => cosines.reduce((sum, cosine, index) => sum + cosine * (row[index] ?? 0), 0)),
  );
  // The first value is the brightness.
  const sorted = values.slice(1).toSorted((first, second) => first - second);
  const median = sorted[sorted.length >> 1] ?? 0;
  const bits = values.map((value) => (value > median + MARGIN ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}
