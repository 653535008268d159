import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { ParserScreenshot, ScreenParser } from '@pilothouse/core/ports/screen-parser.port';
import { until } from '@pilothouse/testing/test-helpers';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { DesktopSurface } from '../desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from '../testing/desktop.fixture.ts';

/* xterm publishes no elements. A parser that finds red areas in screenshots stands for a vision model. */

let kit: DesktopKit;
let surface: DesktopSurface;
let screenshots: ParserScreenshot[];
let failure: Error | null;
/** Called once after the next parse, before its result is returned. */
let afterParse: (() => Promise<void>) | null;

const act = actor(() => surface);
const observe = () => surface.observe({}, contextWithin(20));

const parser: ScreenParser = {
  isAvailable: true,
  parse: async (screenshot) => {
    screenshots.push(screenshot);
    if (failure) throw failure;
    const elements = await redAreaOf(screenshot.jpeg);
    const callback = afterParse;
    afterParse = null;
    await callback?.();
    return elements;
  },
};

async function redAreaOf(jpeg: Buffer): Promise<ParsedElement[]> {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let index = 0; index < width * height; index += 1) {
    const [red = 0, green = 0, blue = 0] = data.subarray(index * channels, index * channels + 3);
    if (red < 150 || green > 80 || blue > 80) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
  }
  if (right <= left) return [];
  const bounds = {
    ...{ x: left / width, y: top / height },
    ...{ width: (right - left) / width, height: (bottom - top) / height },
  };
  return [{ kind: 'icon', name: 'Red area', interactive: true, bounds }];
}

beforeAll(async () => {
  kit = await startDesktopKit();
  await kit.host.warm();
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

beforeEach(async () => {
  [screenshots, failure, afterParse] = [[], null, null];
  surface = await kit.open({ screenParser: parser });
  await act({ action: 'openApp', app: 'debian-xterm' }, 40);
}, 60_000);
afterEach(() => surface.close());

/** Prints a red block, and writes what the terminal reports to a file. Mouse reports are on. */
const printRedBlock =
  String.raw`clear; printf '\n\n\n    \033[41m          \033[0m\n\033[?1000h'; cat > presses` + '\n';

/** Content of the file; empty if no session has it. */
async function readPresses(): Promise<string> {
  const folders = (await readdir(kit.folder)).map((name) => join(kit.folder, name, 'home/presses'));
  return (await Promise.all(folders.map((file) => readFile(file, 'latin1').catch(() => '')))).join('');
}

test('a red area of a terminal becomes an element that is found, clicked, and not parsed again', async () => {
  await act({ action: 'type', text: printRedBlock });
  await until('the block is an element', async () =>
    (await observe()).elements.some(({ name }) => name === 'Red area'),
  );
  const { elements, opaqueRegions, incomplete } = await observe();
  expect(elements).toMatchObject([{ role: 'button', name: 'Red area', interactive: true, state: {} }]);
  expect(opaqueRegions).toMatchObject([{ kind: 'application' }]);
  expect(incomplete).toBeUndefined();
  const { bounds, index } = elements[0] ?? { bounds: { x: 0, y: 0, width: 0, height: 0 }, index: -1 };
  const screenshot = await surface.screenshot({}, contextWithin(20));
  const inside = { left: bounds.x + 3, top: bounds.y + 3, width: bounds.width - 6, height: bounds.height - 6 };
  const { channels } = await sharp(await sharp(screenshot.body).extract(inside).png().toBuffer()).stats();
  expect(channels.map(({ mean }) => Math.round(mean / 100))).toEqual([2, 0, 0]);
  // A terminal reports a press as ESC [ M. It passes a line on when the line ends.
  await act({ action: 'click', target: { role: 'button', name: 'Red area' } });
  await act({ action: 'press', key: 'Enter' });
  await until('the press is reported', async () => (await readPresses()).includes('\x1b[M'));
  expect((await observe()).elements).toMatchObject([{ name: 'Red area', index }]);
}, 120_000);

/** Prints a red block below some lines. Mouse reports are on. */
const blockBelow = (lines: number) =>
  String.raw`clear; printf '${'\\n'.repeat(lines)}    \033[41m          \033[0m\n\033[?1000h'`;

/** Row of the first press. ESC [ M, the button, then column and row, each plus 32 and from 1 on. */
const rowOfPress = async () => /\x1b\[M.[^](.)/.exec(await readPresses())?.[1]?.charCodeAt(0);

test('a block that has just moved is clicked where it is', async () => {
  await act({ action: 'type', text: `${blockBelow(3)}; read go; ${blockBelow(12)}; cat > presses\n` });
  await until('the block is an element', async () =>
    (await observe()).elements.some(({ name }) => name === 'Red area'),
  );
  await act({ action: 'press', key: 'Enter' });
  await act({ action: 'click', target: { role: 'button', name: 'Red area' } });
  await act({ action: 'press', key: 'Enter' });
  await until('the press is reported', async () => (await rowOfPress()) !== undefined);
  expect(await rowOfPress()).toBe(32 + 13);
}, 120_000);

/** Ends the wait of a script in the terminal, and waits until the screen has changed. */
async function continueScript(): Promise<void> {
  await act({ action: 'press', key: 'Enter' });
  await surface.waitUntilIdle(300, contextWithin(20));
}

test('a block that moves while its screenshot is parsed is clicked where it is', async () => {
  await act({ action: 'type', text: `${blockBelow(3)}; read go; ${blockBelow(12)}; cat > presses\n` });
  await surface.waitUntilIdle(500, contextWithin(20));
  afterParse = continueScript;
  await act({ action: 'click', target: { role: 'button', name: 'Red area' } });
  await act({ action: 'press', key: 'Enter' });
  await until('the press is reported', async () => (await rowOfPress()) !== undefined);
  expect(await rowOfPress()).toBe(32 + 13);
}, 120_000);

test('an element that is named by its number is not clicked after it has gone', async () => {
  await act({ action: 'type', text: `${blockBelow(3)}; read go; clear; cat > presses\n` });
  let index = -1;
  await until('the block is an element', async () => {
    index = (await observe()).elements.find(({ name }) => name === 'Red area')?.index ?? -1;
    return index >= 0;
  });
  await continueScript();
  await expect(act({ action: 'click', target: { elementIndex: index } }, 5)).rejects.toMatchObject({
    code: 'TARGET_NOT_FOUND',
  });
  await act({ action: 'press', key: 'Enter' });
  await until('the line is written', async () => (await readPresses()) !== '');
  expect(await readPresses()).toBe('\n');
}, 120_000);

test('an unchanged window is parsed once', async () => {
  await surface.waitUntilIdle(500, contextWithin(20));
  await observe();
  const initialCount = screenshots.length;
  for (let read = 0; read < 3; read += 1) await observe();
  expect(screenshots.length).toBe(initialCount);
}, 60_000);

test('a parser that fails is a note of the observation, and an action on a point still works', async () => {
  failure = new Error('out of memory');
  // On a busy machine a read may exceed its limit first.
  const { elements, incomplete } = await until('the parser was asked', async () => {
    const observation = await observe();
    return observation.incomplete?.reason !== 'timeout' && observation;
  });
  expect(elements).toEqual([]);
  expect(incomplete).toEqual({ reason: 'parser', app: 'xterm' });
  await act({ action: 'click', target: { point: { x: 200, y: 200 } } });
}, 60_000);
