import { hammingDistance, MAX_SAME_IMAGE_BITS } from '@pilothouse/core/learning/dataset/deduplication';
import sharp from 'sharp';
import { blackenAreas } from './blackened-image.ts';
import { perceptualHash } from './perceptual-hash.ts';

/** A form of an application, drawn with boxes and texts. */
const formPage = (amount: string, color = '#1a73e8') => `
<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="800">
  <rect width="1280" height="800" fill="#fff"/>
  <rect width="1280" height="72" fill="${color}"/>
  <rect y="72" width="240" height="728" fill="#f1f3f4"/>
  <rect x="300" y="130" width="420" height="48" fill="#eee" stroke="#888"/>
  <rect x="300" y="220" width="420" height="48" fill="#eee" stroke="#888"/>
  <text x="320" y="250" font-size="20">${amount}</text>
  <rect x="300" y="320" width="160" height="48" fill="${color}"/>
  <rect x="800" y="130" width="380" height="300" fill="#d2e3fc"/>
</svg>`;

const listPage = `
<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="800">
  <rect width="1280" height="800" fill="#202124"/>
  ${Array.from({ length: 9 }, (_, row) => `<rect x="${40 + row * 20}" y="${60 + row * 80}" width="900" height="48" fill="#e8eaed"/>`).join('')}
</svg>`;

const render = (svg: string, quality = 85, width = 1280) =>
  sharp(Buffer.from(svg)).resize(width).jpeg({ quality }).toBuffer();

const distance = async (left: Buffer, right: Buffer) =>
  hammingDistance(await perceptualHash(left), await perceptualHash(right));

test('the same image in another compression or half its size has nearly the same hash', async () => {
  const image = await render(formPage('12,00'));
  expect(await distance(image, await render(formPage('12,00'), 40))).toBeLessThanOrEqual(MAX_SAME_IMAGE_BITS);
  expect(await distance(image, await render(formPage('12,00'), 85, 640))).toBeLessThanOrEqual(MAX_SAME_IMAGE_BITS);
});

test('another screen has another hash', async () => {
  expect(await distance(await render(formPage('12,00')), await render(listPage))).toBeGreaterThan(8);
});

test('a perceptual hash ignores a changed amount, so texts have their own hash', async () => {
  const bits = await distance(await render(formPage('12,00')), await render(formPage('98,75')));
  expect(bits).toBeLessThanOrEqual(MAX_SAME_IMAGE_BITS);
});

test('what is no image is an error', async () => {
  await expect(perceptualHash(Buffer.from('no image'))).rejects.toThrow();
});

test('areas are black, and the rest of the image stays', async () => {
  const image = await render(formPage('12,00'));
  // The viewport is twice as large as the image.
  const { data, width, height } = await blackenAreas(
    image,
    [
      { x: 1600, y: 260, width: 760, height: 600 },
      { x: 5000, y: 0, width: 10, height: 10 },
    ],
    { width: 2560, height: 1600 },
  );
  expect({ width, height }).toEqual({ width: 1280, height: 800 });
  const { data: raw } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
  const pixelAt = (x: number, y: number) => [...raw.subarray(3 * (y * 1280 + x), 3 * (y * 1280 + x) + 3)];
  expect(Math.max(...pixelAt(801, 131), ...pixelAt(1178, 428), ...pixelAt(1000, 300))).toBeLessThan(30);
  expect(Math.min(...pixelAt(1240, 600))).toBeGreaterThan(230);
});

test('an image without areas is not encoded again', async () => {
  const image = await render(listPage);
  expect((await blackenAreas(image, [], { width: 1280, height: 800 })).data).toBe(image);
});
