import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { printsDiffer } from '@pilothouse/core/observation/annotated-screenshot';
import { jpegSize } from '@pilothouse/core/observation/jpeg-size';
import sharp from 'sharp';
import { renderModelDetail, renderModelImage, renderModelZoom, renderPlainImage } from './model-image.ts';

const observation: Observation = {
  url: 'https://shop.test/',
  title: 'Shop',
  document: 1,
  loading: false,
  viewport: { width: 1920, height: 1080 },
  scroll: { above: 0, below: 0 },
  focused: null,
  elements: [
    {
      index: 7,
      interactive: true,
      role: 'button',
      name: 'Pay',
      state: {},
      tags: [],
      bounds: { x: 600, y: 300, width: 300, height: 150 },
    },
  ],
  opaqueRegions: [],
};
const page = (width: number, height: number, background = '#ffffff') =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg({ quality: 85 })
    .toBuffer();
const pixelsOf = async (data: string) => {
  const { data: raw, info } = await sharp(Buffer.from(data, 'base64')).raw().toBuffer({ resolveWithObject: true });
  return (x: number, y: number) => [...raw.subarray(3 * (y * info.width + x), 3 * (y * info.width + x) + 3)];
};

test('is a JPEG of at most 1280 pixels with marks at the elements', async () => {
  const { data, width, height } = await renderModelImage(await page(1920, 1080), observation, []);
  expect({ width, height }).toEqual({ width: 1280, height: 720 });
  expect(jpegSize(Buffer.from(data, 'base64'))).toEqual({ width: 1280, height: 720 });
  const pixelAt = await pixelsOf(data);
  // 600 of 1920 is 400 of 1280.
  expect(Math.min(...pixelAt(500, 201))).toBeLessThan(200);
  expect(Math.min(...pixelAt(500, 250))).toBeGreaterThan(240);
  expect(Math.min(...pixelAt(390, 250))).toBeGreaterThan(240);
});

test('a smaller page is not resized', async () => {
  const { width, height } = await renderModelImage(await page(800, 450), observation, []);
  expect({ width, height }).toEqual({ width: 800, height: 450 });
});

test('a detail is the area around a point, without marks, within the image', async () => {
  const secret = { x: 960, y: 560, width: 60, height: 60 };
  const detail = await renderModelDetail(await page(1920, 1080), observation, [secret], { x: 500, y: 500 });
  expect({ width: detail.width, height: detail.height }).toEqual({ width: 480, height: 270 });
  const pixelAt = await pixelsOf(detail.data);
  // The point is the center. The cross begins beside it, and the mark of the button is absent.
  expect(Math.min(...pixelAt(240, 135))).toBeGreaterThan(240);
  expect(pixelAt(240 + 27, 135)[1]).toBeLessThan(120);
  expect(Math.max(...pixelAt(240 + 15, 135 + 30))).toBeLessThan(120);
  const corner = await renderModelDetail(await page(1920, 1080), observation, [], { x: 1000, y: 0 });
  expect({ width: corner.width, height: corner.height }).toEqual({ width: 480, height: 270 });
});

test('a region is enlarged from all pixels of the screenshot, without marks and secrets', async () => {
  const secret = { x: 0, y: 0, width: 240, height: 135 };
  const zoom = await renderModelZoom(await page(1920, 1080), observation, [secret], {
    ...{ x: 0, y: 0, width: 250, height: 250 },
  });
  expect({ width: zoom.width, height: zoom.height }).toEqual({ width: 1280, height: 720 });
  const pixelAt = await pixelsOf(zoom.data);
  expect(Math.max(...pixelAt(100, 100))).toBeLessThan(120);
  expect(Math.min(...pixelAt(1000, 600))).toBeGreaterThan(240);
  const tall = await renderModelZoom(await page(1920, 1080), observation, [], { x: 0, y: 0, width: 50, height: 1000 });
  expect(tall.height).toBe(1280);
});

test('a covered area is unreadable and does not count as a change', async () => {
  const bounds = { x: 0, y: 0, width: 1920, height: 1080 };
  const [white, black] = await Promise.all(
    ['#ffffff', '#000000'].map(async (color) => renderModelImage(await page(1920, 1080, color), observation, [bounds])),
  );
  expect(black?.data).toBe(white?.data);
  expect(printsDiffer(white?.print ?? [], black?.print ?? [])).toBe(false);
});

test('marks do not count as a change, another page does', async () => {
  const jpeg = await page(1280, 720);
  const [marked, plain] = await Promise.all([
    renderModelImage(jpeg, observation, []),
    renderModelImage(jpeg, { ...observation, elements: [] }, []),
  ]);
  expect(marked.data).not.toBe(plain.data);
  expect(printsDiffer(marked.print, plain.print)).toBe(false);
  expect(
    printsDiffer(marked.print, (await renderModelImage(await page(1280, 720, '#eeeeee'), observation, [])).print),
  ).toBe(true);
});

test('a plain image has no marks, and covers secrets; one that needs no change is not encoded again', async () => {
  const large = await page(1920, 1080);
  const { body, width, height } = await renderPlainImage(large, observation, [
    { x: 600, y: 300, width: 300, height: 150 },
  ]);
  expect({ width, height }).toEqual({ width: 1280, height: 720 });
  const pixelAt = await pixelsOf(body.toString('base64'));
  expect(Math.max(...pixelAt(500, 250))).toBeLessThan(120);
  expect(Math.min(...pixelAt(700, 250))).toBeGreaterThan(240);
  const plain = await renderPlainImage(large, observation, []);
  // Where a mark of the button would be.
  expect(Math.min(...(await pixelsOf(plain.body.toString('base64')))(500, 201))).toBeGreaterThan(240);
  const small = await page(800, 450);
  expect((await renderPlainImage(small, observation, [])).body).toBe(small);
});

test('invalid image data is an error', async () => {
  await expect(renderModelImage(Buffer.from('no image'), observation, [])).rejects.toThrow();
});
