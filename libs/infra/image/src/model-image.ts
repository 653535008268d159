import { MAX_MODEL_IMAGE_CHARS } from '@pilothouse/contract/model/model.schema';
import type { ScreenRegion } from '@pilothouse/contract/model/native-turn.schema';
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

/**
 * Renders a region as wide as a model sees a screen, from all pixels of the screenshot, without marks.
 * @param region in thousandths of the viewport
 * @throws as `renderModelImage`
 */
export async function renderModelZoom(
  jpeg: Buffer,
  observation: Observation,
  secrets: readonly Bounds[],
  region: ScreenRegion,
): Promise<ModelScreenshot> {
  const sharp = await loadSharp();
  const { data, width, height } = await maskSecrets(jpeg, observation, secrets, null);
  const left = Math.min(width - 1, Math.floor((region.x / 1000) * width));
  const top = Math.min(height - 1, Math.floor((region.y / 1000) * height));
  const extracted = {
    ...{ left, top },
    width: Math.max(1, Math.min(width - left, Math.round((region.width / 1000) * width))),
    height: Math.max(1, Math.min(height - top, Math.round((region.height / 1000) * height))),
  };
  const enlarged = await sharp(data, { raw: { width, height, channels: 3 } })
    .extract(extracted)
    .resize({ width: WIDTH, height: WIDTH, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels: RgbImage = {
    data: enlarged.data,
    width: enlarged.info.width,
    height: enlarged.info.height,
  };
  return encodeJpeg(pixels, imagePrint(pixels));
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

/** Decodes and resizes a page, and covers its secrets. @param maxWidth pixels; null: all */
async function maskSecrets(
  jpeg: Buffer,
  observation: Observation,
  secrets: readonly Bounds[],
  maxWidth: number | null = WIDTH,
): Promise<RgbImage> {
  const sharp = await loadSharp();
  const { data, info } = await sharp(jpeg)
    .resize({ ...(maxWidth !== null && { width: maxWidth }), withoutEnlargement: true, kernel: 'linear' })
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
