import { CaretBlink } from './caret-blink.ts';
import type { Rectangle } from './rectangle.ts';

const CARET: Rectangle = { x: 290, y: 251, width: 10, height: 17 };

/** Results for changes every 500 ms. */
const blinksOf = (areas: readonly Rectangle[], intervalMs = 500): boolean[] => {
  const caret = new CaretBlink();
  return areas.map((area, index) => caret.isBlink(area, index * intervalMs));
};

test('a thin area is a caret at once', () => {
  expect(blinksOf([{ ...CARET, width: 2 }])).toEqual([true]);
});

test('a small area that changes again and again is a caret', () => {
  expect(blinksOf([CARET, CARET, CARET, CARET])).toEqual([false, false, true, true]);
});

test('a thin caret in another window does not hide a wider one', () => {
  const thin = { x: 10, y: 10, width: 1, height: 17 };
  expect(blinksOf([CARET, thin, CARET, thin, CARET])).toEqual([false, true, false, true, true]);
});

test.each<[string, readonly Rectangle[], number]>([
  ['a caret that moves', [0, 10, 20, 30].map((x) => ({ ...CARET, x })), 500],
  ['a change elsewhere', [CARET, CARET, { ...CARET, y: 300 }, CARET, CARET], 500],
  ['a wide area', Array.from({ length: 4 }, () => ({ ...CARET, width: 120 })), 500],
  ['a high area', Array.from({ length: 4 }, () => ({ ...CARET, height: 120 })), 500],
  ['a rare change', [CARET, CARET, CARET, CARET], 3_000],
])('%s is a change of the screen', (_, areas, intervalMs) => {
  expect(blinksOf(areas, intervalMs)).not.toContain(true);
});
