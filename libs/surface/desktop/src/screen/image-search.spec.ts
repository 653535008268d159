import { findImage, type GreyImage } from './image-search.ts';

/** Pixels that look random and are the same in each run. */
function noise(width: number, height: number, seed: number): GreyImage {
  let state = seed;
  const data = Uint8Array.from({ length: width * height }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
  return { width, height, data };
}

/** Blocks of 4 × 4 equal pixels, as in icons. */
function icon(width: number, height: number, seed: number): GreyImage {
  const blocks = noise(Math.ceil(width / 4), Math.ceil(height / 4), seed);
  const valueAt = (index: number) =>
    blocks.data[Math.floor(Math.floor(index / width) / 4) * blocks.width + Math.floor((index % width) / 4)] ?? 0;
  return { width, height, data: Uint8Array.from({ length: width * height }, (_, index) => valueAt(index)) };
}

function draw(screen: GreyImage, image: GreyImage, left: number, top: number): void {
  for (let row = 0; row < image.height; row += 1)
    screen.data.set(image.data.subarray(row * image.width, (row + 1) * image.width), (top + row) * screen.width + left);
}

test.each([
  [24, 24],
  [90, 40],
  [300, 200],
])('an image of %i × %i pixels is found at its exact position', (width, height) => {
  const screen = { width: 1280, height: 800, data: new Uint8Array(1280 * 800).fill(200) };
  const image = icon(width, height, 7);
  draw(screen, image, 613, 251);
  expect(findImage(screen, image, 0.9)).toEqual([{ x: 613, y: 251, width, height }]);
  expect(findImage(screen, icon(width, height, 99), 0.9)).toEqual([]);
});

test('each of two copies is found', () => {
  const screen = { width: 400, height: 300, data: new Uint8Array(400 * 300).fill(30) };
  const image = icon(20, 20, 3);
  draw(screen, image, 11, 13);
  draw(screen, image, 300, 200);
  const places = findImage(screen, image, 0.95).map(({ x, y }) => `${x},${y}`);
  expect(places.toSorted()).toEqual(['11,13', '300,200']);
});

test('an image of one color, or larger than the screen, is refused', () => {
  const screen = noise(50, 50, 1);
  const plain = { width: 10, height: 10, data: new Uint8Array(100).fill(5) };
  expect(() => findImage(screen, plain, 0.9)).toThrow('The image has one color only; cut a part with details');
  expect(() => findImage(screen, noise(60, 10, 1), 0.9)).toThrow('The image is larger than the screen');
});
