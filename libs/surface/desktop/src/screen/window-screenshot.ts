import sharp from 'sharp';
import type { Rectangle } from '../x/rectangle.ts';
import type { ScreenImage } from '../x/screen-capture.ts';
import { screenshotHash } from './screenshot-hash.ts';

const JPEG_QUALITY = 90;

/** Smallest side of a window that is parsed, in pixels. */
const MIN_SIDE_PX = 16;

/** Screenshot of a screen area, for the screen parser. */
export interface WindowScreenshot {
  readonly jpeg: Uint8Array;
  /** Perceptual hash. */
  readonly hash: string;
  /** The part that is on the screen, in pixels. */
  readonly bounds: Rectangle;
}

/** @returns null if the region is not on the screen, or too small */
export async function cropScreenshot(image: ScreenImage, region: Rectangle): Promise<WindowScreenshot | null> {
  const [x, y] = [Math.max(0, region.x), Math.max(0, region.y)];
  const width = Math.min(image.width, region.x + region.width) - x;
  const height = Math.min(image.height, region.y + region.height) - y;
  if (width < MIN_SIDE_PX || height < MIN_SIDE_PX) return null;
  const data = await sharp(image.data, { raw: { width: image.width, height: image.height, channels: 4 } })
    .extract({ left: x, top: y, width, height })
    .raw()
    .toBuffer();
  const jpeg = await sharp(data, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
  return { jpeg, hash: await screenshotHash({ width, height, data }), bounds: { x, y, width, height } };
}
