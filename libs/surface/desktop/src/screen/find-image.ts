import sharp, { type Sharp } from 'sharp';
import type { ScreenCapture } from '../x/screen-capture.ts';
import type { Rectangle } from '../x/rectangle.ts';
import { findImage, type GreyImage } from './image-search.ts';

/** Minimum and maximum pixels of each side of a template. */
const MIN_SIDE_PX = 6;
const MAX_SIDE_PX = 400;

/**
 * Finds a template image (PNG, JPEG, WebP) on the screen.
 * @throws Error if the data is no image, or not between 6 and 400 pixels in width and height
 */
export async function findImageOnScreen(
  screen: Pick<ScreenCapture, 'capture'>,
  data: Uint8Array,
  threshold: number,
): Promise<Rectangle[]> {
  const template = await toGrey(sharp(data, { limitInputPixels: 4_000_000 }).flatten()).catch(() => {
    throw new Error('The file is not a PNG, JPEG or WebP image; use one of these formats');
  });
  const sides = [template.width, template.height];
  if (sides.some((side) => side < MIN_SIDE_PX || side > MAX_SIDE_PX))
    throw new Error(
      `The image has ${sides.join(' × ')} pixels; each side must have between ${MIN_SIDE_PX} and ${MAX_SIDE_PX} pixels`,
    );
  const { width, height, data: pixels } = await screen.capture();
  return findImage(await toGrey(sharp(pixels, { raw: { width, height, channels: 4 } })), template, threshold);
}

async function toGrey(image: Sharp): Promise<GreyImage> {
  const { data, info } = await image.removeAlpha().greyscale().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
