import { MAX_MODEL_IMAGE, type Bounds, type Observation } from '@pilothouse/contract';
import { cover, drawMarks, printOf, type Picture, type Pixels } from '@pilothouse/core';

/** Widest picture for a model, in pixels. */
const WIDTH = 1280;

/** Quality of its JPEG, and of one that would be too large. */
const QUALITY = 85;
const LOW_QUALITY = 50;

const library = async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
};
let loading: ReturnType<typeof library> | undefined;

/**
 * A picture of a page as a model is shown it.
 * @param jpeg the page as it is
 * @param seen what is in view, whose elements are marked
 * @param secrets what of the page is covered
 * @throws Error when it is no image
 */
export async function modelPicture(jpeg: Buffer, seen: Observation, secrets: readonly Bounds[]): Promise<Picture> {
  const sharp = await (loading ??= library());
  const { data, info } = await sharp(jpeg)
    .resize({ width: WIDTH, withoutEnlargement: true, kernel: 'linear' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const pixels: Pixels = { data, width, height };
  cover(pixels, secrets, seen);
  const print = printOf(pixels);
  drawMarks(pixels, seen);
  const written = async (quality: number) => {
    // Tables made for each image would save a few bytes of a hundred, and take three times as long.
    const marked = await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality, optimiseCoding: false })
      .toBuffer();
    return marked.toString('base64');
  };
  const first = await written(QUALITY);
  return { data: first.length <= MAX_MODEL_IMAGE ? first : await written(LOW_QUALITY), width, height, print };
}
