import type { Rectangle } from '../x/rectangle.ts';
import type { ScreenImage } from '../x/screen-capture.ts';
import { StoredScreenshots } from './stored-screenshots.ts';

const [width, height] = [60, 60];
const region = { x: 10, y: 10, width: 30, height: 20 };

/** A grey screen with a white rectangle. */
function screenWith({ x, y, width: columns, height: rows }: Rectangle): ScreenImage {
  const data = Buffer.alloc(width * height * 4, 100);
  for (let row = y; row < y + rows; row += 1) data.fill(255, (row * width + x) * 4, (row * width + x + columns) * 4);
  return { width, height, data };
}
const plain = screenWith({ x: 0, y: 0, width: 0, height: 0 });

test.each<[string, Rectangle, boolean]>([
  ['beside the region', { x: 40, y: 10, width: 20, height: 20 }, true],
  ['of a caret in it', { x: 20, y: 12, width: 2, height: 16 }, true],
  ['at its first pixel and beyond', { x: 0, y: 0, width: 11, height: 11 }, true],
  ['of an icon in it', { x: 20, y: 12, width: 8, height: 8 }, false],
  ['at its last pixels', { x: 30, y: 25, width: 20, height: 20 }, false],
])('a change %s', (_, change, isUnchanged) => {
  const screenshots = new StoredScreenshots();
  const id = screenshots.add(plain, null);
  expect(screenshots.isUnchanged(id, region, screenWith(change))).toBe(isUnchanged);
});

test('a screenshot stays until the next one that does not name it', () => {
  const screenshots = new StoredScreenshots();
  const first = screenshots.add(plain, null);
  const second = screenshots.add(plain, first);
  expect([first, second].map((id) => screenshots.isUnchanged(id, region, plain))).toEqual([true, true]);
  const third = screenshots.add(plain, null);
  expect([first, second, third].map((id) => screenshots.isUnchanged(id, region, plain))).toEqual([false, false, true]);
});
