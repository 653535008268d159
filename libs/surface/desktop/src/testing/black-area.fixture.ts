import sharp from 'sharp';
import type { Rectangle } from '../x/rectangle.ts';

/** True if an area of an image is black. Its edges are left out, because JPEG blurs them. */
export async function isBlack(image: Buffer, { x, y, width, height }: Rectangle): Promise<boolean> {
  const region = { left: Math.ceil(x) + 4, top: Math.ceil(y) + 4, width: width - 8, height: height - 8 };
  // The statistics of sharp are those of its whole input.
  const { channels } = await sharp(await sharp(image).extract(region).png().toBuffer()).stats();
  return channels.every(({ max }) => max < 12);
}
