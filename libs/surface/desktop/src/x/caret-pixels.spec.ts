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

/** Results for repeated changes of one area, each with its black part. */
async function blinksOf(area: Rectangle, parts: readonly (Rectangle | null)[]): Promise<boolean[]> {
  let shown: Rectangle | null = null;
  const caret = new CaretPixels((changed) => Promise.resolve(anArea(changed, shown)));
  const blinks: boolean[] = [];
  for (const part of parts) {
    shown = part;
    blinks.push(await caret.isBlink(area));
  }
  return blinks;
}

test('a line that is repainted for its caret is a blink from the second change', async () => {
  expect(await blinksOf(LINE, [caretAt(10), null, caretAt(10), null])).toEqual([false, true, true, true]);
});

test.each<[string, Rectangle, (Rectangle | null)[]]>([
  ['a letter', LINE, [null, caretAt(10, 8)]],
  ['a caret that moves', LINE, [caretAt(10), caretAt(20)]],
  ['the same pixels again', LINE, [caretAt(10), caretAt(10)]],
  ['a high area', { ...LINE, height: 200 }, [caretAt(10), null, caretAt(10)]],
])('%s is a change of the screen', async (_, area, parts) => {
  expect(await blinksOf(area, parts)).not.toContain(true);
});
