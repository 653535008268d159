import type { Bounds } from '@pilothouse/contract/observation/observation.schema';
import { loadSharp } from './sharp-library.ts';

/** Pixels around an area that are blackened too: letters overhang their boxes. */
const MARGIN_PX = 2;
const QUALITY = 90;

/** A JPEG and its size. */
export interface BlackenedImage {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/**
 * Blackens areas of an image. Without an area in the image, the data is returned unchanged.
 * @param viewport size of the page in the units of the areas
 * @throws Error when the data is not an image
 */
export async function blackenAreas(
  jpeg: Buffer,
  areas: readonly Bounds[],
  viewport: { readonly width: number; readonly height: number },
): Promise<BlackenedImage> {
  const sharp = await loadSharp();
  const { width, height } = await sharp(jpeg).metadata();
  const boxes = areas.flatMap((area) => boxIn(area, width / Math.max(1, viewport.width), { width, height }));
  if (boxes.length === 0) return { data: jpeg, width, height };
  // A composition of hundreds of covers is slower than their pixels.
  const { data, info } = await sharp(jpeg)
    .removeAlpha()
    .toColorspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (const box of boxes)
    for (let row = box.top; row < box.top + box.height; row += 1) {
      const start = (row * info.width + box.left) * info.channels;
      data.fill(0, start, start + box.width * info.channels);
    }
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return { data: await sharp(data, { raw }).jpeg({ quality: QUALITY }).toBuffer(), width, height };
}

/** An area in pixels of the image, cut at its edges. */
function boxIn({ x, y, width, height }: Bounds, scale: number, image: { width: number; height: number }) {
  const left = Math.max(0, Math.floor(x * scale) - MARGIN_PX);
  const top = Math.max(0, Math.floor(y * scale) - MARGIN_PX);
  const right = Math.min(image.width, Math.ceil((x + width) * scale) + MARGIN_PX);
  const bottom = Math.min(image.height, Math.ceil((y + height) * scale) + MARGIN_PX);
  return right > left && bottom > top ? [{ left, top, width: right - left, height: bottom - top }] : [];
}
