import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { openApp, press, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

const WIDTH = 300;
const HEIGHT = 200;

/** Place of the canvas on the screen of 1280 × 800 in the maximized window. */
const CANVAS = { x: 535, y: 332 };

function whiteBitmap(): Buffer {
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(54 + WIDTH * HEIGHT * 3, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(WIDTH, 18);
  header.writeInt32LE(HEIGHT, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  header.writeUInt32LE(WIDTH * HEIGHT * 3, 34);
  return Buffer.concat([header, Buffer.alloc(WIDTH * HEIGHT * 3, 0xff)]);
}

/** A pixel of the screen as a target: mtPaint (GTK 2) publishes neither its canvas nor its palette. */
const atPixel = (x: number, y: number) => ({ point: { x: (x / 1279) * 1000, y: (y / 799) * 1000 } });
const onCanvas = (x: number, y: number) => atPixel(CANVAS.x + x, CANVAS.y + y);
const clickPixel = (target: ReturnType<typeof atPixel>) => ({ action: 'click' as const, target });

const pencil = clickPixel(atPixel(431, 64));
const floodFill = clickPixel(atPixel(496, 64));
const greenOfPalette = clickPixel(atPixel(38, 472));

const open = [
  openApp('mtpaint', 'drawing.bmp'),
  // Its second window opens last, and takes the focus.
  untilTitle('Settings Toolbar'),
  { action: 'switchWindow' as const, window: 'drawing.bmp' },
  { action: 'setWindow' as const, window: 'drawing.bmp', state: 'maximized' as const },
  { action: 'waitFor' as const, condition: { stableMs: 300 } },
];

const save = [untilTitle('(modified)'), press('Control+S'), untilTitle('mtPaint 3.40 - ')];

const RED = [255, 0, 0];
const WHITE = [255, 255, 255];

desktopTasks(
  'mtPaint (GTK 2)',
  ['mtpaint'],
  [
    {
      title: 'draws a line by a drag, whose pixels are in the file',
      steps: [...open, pencil, { action: 'drag', target: onCanvas(20, 50), by: { x: 200, y: 0 } }, ...save],
      saved: {
        'drawing.bmp': (content) => {
          const drawing = pixelsOf(content);
          expect([20, 120, 220].map((x) => drawing.at(x, 50))).toEqual([RED, RED, RED]);
          expect([drawing.at(15, 50), drawing.at(225, 50), drawing.at(120, 52)]).toEqual([WHITE, WHITE, WHITE]);
        },
      },
    },
    {
      title: 'fills one side of a line with a color of the palette',
      steps: [
        ...open,
        pencil,
        { action: 'drag', target: onCanvas(100, 2), by: { x: 0, y: 196 } },
        { action: 'drag', target: onCanvas(100, 10), by: { x: 0, y: -10 } },
        { action: 'drag', target: onCanvas(100, 190), by: { x: 0, y: 9 } },
        greenOfPalette,
        floodFill,
        clickPixel(onCanvas(200, 100)),
        ...save,
      ],
      saved: {
        'drawing.bmp': (content) => {
          const drawing = pixelsOf(content);
          expect([drawing.at(50, 100), drawing.at(100, 100)]).toEqual([WHITE, RED]);
          const green = drawing.at(200, 100);
          expect(green[1]).toBeGreaterThan(200);
          expect([drawing.at(299, 0), drawing.at(299, 199)]).toEqual([green, green]);
        },
      },
    },
  ],
  { 'drawing.bmp': whiteBitmap() },
);
