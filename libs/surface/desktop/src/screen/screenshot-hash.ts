import sharp from 'sharp';
import type { ScreenImage } from '../x/screen-capture.ts';

/** Side of the reduced screenshot. */
const SIDE_PX = 32;

/** Frequencies used per axis. */
const FREQUENCIES_PER_AXIS = 8;

/**
 * A value must exceed the median by this margin to set its bit. Values of a plain screenshot lie near the median. A caret changes a value by
 * about 40.
 */
const MEDIAN_MARGIN = 200;

/** `COSINES[frequency][position]` of the discrete cosine transform (DCT-II). */
const COSINES = Array.from({ length: FREQUENCIES_PER_AXIS }, (_, frequency) =>
  Array.from({ length: SIDE_PX }, (_, position) =>
    Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * SIDE_PX)),
  ),
);

/**
 * Perceptual hash of a screenshot: for each of its 64 lowest frequencies, whether it is clearly above the median. Screenshots that differ in a
 * caret or by compression mostly have one hash; screenshots that differ in a few characters can have one, too.
 * @returns 16 hexadecimal digits
 */
export async function screenshotHash({ width, height, data }: ScreenImage): Promise<string> {
  const pixels = await sharp(data, { raw: { width, height, channels: 4 } })
    .greyscale()
    .resize(SIDE_PX, SIDE_PX, { fit: 'fill' })
    .raw()
    .toBuffer();
  const rows = COSINES.map((cosines) =>
    Array.from({ length: SIDE_PX }, (_, row) =>
      cosines.reduce((sum, cosine, column) => sum + cosine * (pixels[row * SIDE_PX + column] ?? 0), 0),
    ),
  );
  const values = rows.flatMap((row) =>
    COSINES.map((cosines) => cosines.reduce((sum, cosine, index) => sum + cosine * (row[index] ?? 0), 0)),
  );
  // The first value is the brightness.
  const sorted = values.slice(1).toSorted((first, second) => first - second);
  const median = sorted[sorted.length >> 1] ?? 0;
  const bits = values.map((value) => (value > median + MEDIAN_MARGIN ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}
