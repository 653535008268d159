import type { ParsedElement } from '@pilothouse/contract';
import type { ParserScreenshot, ScreenParser } from '@pilothouse/core';
import { until } from '@pilothouse/testing';
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

const act = actor(() => surface);
const observe = () => surface.observe({}, contextWithin(20));

const parser: ScreenParser = {
  isAvailable: true,
  parse: async (screenshot) => {
    screenshots.push(screenshot);
    if (failure) throw failure;
    return redAreaOf(screenshot.jpeg);
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
  [screenshots, failure] = [[], null];
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
  expect(screenshots[0]?.key).toMatch(/^[0-9a-f]{64}$/);
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

test('a block that has just moved is clicked where it is', async () => {
  const blockBelow = (lines: number) =>
    String.raw`clear; printf '${'\\n'.repeat(lines)}    \033[41m          \033[0m\n\033[?1000h'`;
  await act({ action: 'type', text: `${blockBelow(3)}; read go; ${blockBelow(12)}; cat > presses\n` });
  await until('the block is an element', async () =>
    (await observe()).elements.some(({ name }) => name === 'Red area'),
  );
  await act({ action: 'press', key: 'Enter' });
  await act({ action: 'click', target: { role: 'button', name: 'Red area' } });
  await act({ action: 'press', key: 'Enter' });
  // ESC [ M, the button, then column and row, each plus 32 and from 1 on.
  const rowOf = async () => /\x1b\[M.[^](.)/.exec(await readPresses())?.[1]?.charCodeAt(0);
  await until('the press is reported', async () => (await rowOf()) !== undefined);
  expect(await rowOf()).toBe(32 + 13);
}, 120_000);

test('an unchanged window is parsed once', async () => {
  await surface.waitUntilIdle(500, contextWithin(20));
  await observe();
  const before = screenshots.length;
  for (let read = 0; read < 3; read += 1) await observe();
  expect(screenshots.length).toBe(before);
}, 60_000);

test('a parser that fails is a note of the observation, and an action on a point still works', async () => {
  failure = new Error('out of memory');
  const { elements, incomplete } = await observe();
  expect(elements).toEqual([]);
  expect(incomplete).toEqual({ reason: 'parser', app: 'xterm' });
  await act({ action: 'click', target: { point: { x: 200, y: 200 } } });
}, 60_000);
