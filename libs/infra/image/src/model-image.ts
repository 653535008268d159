import { MAX_MODEL_IMAGE_CHARS } from '@pilothouse/contract/model/model.schema';
import type { Bounds, Observation } from '@pilothouse/contract/observation/observation.schema';
import {
  cropAround,
  redactBounds,
  drawCross,
  drawMarks,
  imagePrint,
  type ModelScreenshot,
  type RgbImage,
  type ViewportPoint,
} from '@pilothouse/core/observation/annotated-screenshot';
import { jpegSize } from '@pilothouse/core/observation/jpeg-size';
import { loadSharp } from './sharp-library.ts';

/** Maximum width of an image for a model, in pixels. */
const WIDTH = 1280;

/** JPEG quality, and the quality for an image that would be too large. */
const QUALITY = 85;
const LOW_QUALITY = 50;

/**
 * Renders the image of a page for a model.
 * @param jpeg screenshot of the page
 * @param observation observation whose elements are marked
 * @param secrets areas to cover
 * @throws Error when the data is not an image
 */
export async function renderModelImage(
  jpeg: Buffer,
  observation: Observation,
  secrets: readonly Bounds[],
): Promise<ModelScreenshot> {
  const pixels = await maskSecrets(jpeg, observation, secrets);
  const print = imagePrint(pixels);
  drawMarks(pixels, observation);
  return encodeJpeg(pixels, print);
}

/**
 * Renders the area around a point, with a cross whose gap is at the point, and without marks.
 * @param spot in thousandths of the viewport
 * @throws as `renderModelImage`
 */
export async function renderModelDetail(
  jpeg: Buffer,
  observation: Observation,
  secrets: readonly Bounds[],
  spot: ViewportPoint,
): Promise<ModelScreenshot> {
  const pixels = await maskSecrets(jpeg, observation, secrets);
  const print = imagePrint(pixels);
  drawCross(pixels, spot);
  return encodeJpeg(cropAround(pixels, spot), print);
}

/** A JPEG without marks. */
export interface PlainImage {
  readonly body: Buffer;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Renders the image of a page without marks, as wide as a model sees it. An image that needs no change is returned as it is.
 * @param secrets areas to cover
 * @throws as `renderModelImage`
 */
export async function renderPlainImage(
  jpeg: Buffer,
  observation: Observation,
  secrets: readonly Bounds[],
): Promise<PlainImage> {
  const size = jpegSize(jpeg);
  if (secrets.length === 0 && size.width <= WIDTH) return { body: jpeg, ...size };
  const pixels = await maskSecrets(jpeg, observation, secrets);
  const { width, height } = pixels;
  return { body: await toJpeg(pixels, QUALITY), width, height };
}

/** Decodes and resizes a page, and covers its secrets. */
async function maskSecrets(jpeg: Buffer, observation: Observation, secrets: readonly Bounds[]): Promise<RgbImage> {
  const sharp = await loadSharp();
  const { data, info } = await sharp(jpeg)
    .resize({ width: WIDTH, withoutEnlargement: true, kernel: 'linear' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const pixels: RgbImage = { data, width, height };
  redactBounds(pixels, secrets, observation);
  return pixels;
}

async function toJpeg({ data, width, height }: RgbImage, quality: number): Promise<Buffer> {
  const sharp = await loadSharp();
  // Optimized Huffman tables would save a few percent and take three times as long.
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality, optimiseCoding: false })
    .toBuffer();
}

async function encodeJpeg(pixels: RgbImage, print: readonly number[]): Promise<ModelScreenshot> {
  const { width, height } = pixels;
  const inQuality = async (quality: number) => (await toJpeg(pixels, quality)).toString('base64');
  const first = await inQuality(QUALITY);
  return { data: first.length <= MAX_MODEL_IMAGE_CHARS ? first : await inQuality(LOW_QUALITY), width, height, print };
}
