import { CaretPixels } from './caret-pixels.ts';
import type { Rectangle } from './rectangle.ts';

const LINE: Rectangle = { x: 30, y: 50, width: 600, height: 18 };

/** Pixels of an area with a black part. */
function anArea({ width, height }: Rectangle, black: Rectangle | null): Buffer {
  const pixels = Buffer.alloc(width * height * 4, 255);
  for (let y = black?.y ?? 0; black && y < black.y + black.height; y += 1)
    pixels.fill(0, (y * width + black.x) * 4, (y * width + black.x + black.width) * 4);
  return pixels;
}

const caretAt = (x: number, width = 2): Rectangle => ({ x, y: 0, width, height: 18 });

/** Results for repeated changes of areas, each with the black part of the screen at that time. */
async function blinksOf(areas: readonly Rectangle[], parts: readonly (Rectangle | null)[], intervalMs = 500) {
  let shown: Rectangle | null = null;
  const caret = new CaretPixels((changed) => Promise.resolve(anArea(changed, shown)));
  const blinks: boolean[] = [];
  for (const [index, part] of parts.entries()) {
    shown = part;
    for (const area of areas)
      blinks.push(caret.quickAnswer(area, index * intervalMs) ?? (await caret.isBlink(area, index * intervalMs)));
  }
  return blinks;
}

test('a line that is repainted for its caret is a blink from the fourth change', async () => {
  const parts = [caretAt(10), null, caretAt(10), null, caretAt(10)];
  expect(await blinksOf([LINE], parts)).toEqual([false, false, false, true, true]);
});

test('a line that is repainted in two parts is a blink', async () => {
  const border = { ...LINE, x: 0, width: 30 };
  const blinks = await blinksOf([LINE, border], [caretAt(10), null, caretAt(10), null, caretAt(10)]);
  expect(blinks.slice(6)).toEqual([true, true, true, true]);
});

test.each<[string, Rectangle, (Rectangle | null)[], number]>([
  ['a letter', LINE, [null, null, caretAt(10, 8)], 500],
  ['a caret that moves', LINE, [null, caretAt(10), caretAt(20)], 500],
  ['a bar that grows', LINE, [10, 12, 14, 16, 18].map((width) => caretAt(0, width)), 500],
  ['a large area', { ...LINE, height: 600 }, [null, caretAt(10), null, caretAt(10)], 500],
  ['an animation', LINE, [caretAt(10), null, caretAt(10), null], 40],
  ['a rare change', LINE, [caretAt(10), null, caretAt(10), null], 3_000],
])('%s is a change of the screen', async (_, area, parts, intervalMs) => {
  expect((await blinksOf([area], parts, intervalMs)).at(-1)).toBe(false);
});
