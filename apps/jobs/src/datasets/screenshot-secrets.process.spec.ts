import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bounds } from '@pilothouse/contract/observation/observation.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStore } from '@pilothouse/infra-blob';
import { anElement } from '@pilothouse/testing/agent-builders';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import sharp from 'sharp';
import { loadExample } from './load-example.ts';

const VIEWPORT = { width: 1280, height: 800 };
const [COLUMNS, ROWS] = [10, 20];
const SCREENSHOTS = 50;
/** Widths of screenshots: of the viewport, and reduced by fractions. */
const SCREENSHOT_WIDTHS = [1280, 1024, 900, 853, 640];

/** Luminance from 0 to 255: above it a pixel is page, below it cover. */
const MIN_PAGE_LUMINANCE = 170;
const MAX_COVER_LUMINANCE = 60;

/** Pixels around an area that its cover may reach: its own margin, and blocks of JPEG. */
const MARGIN = 5;

interface Luminance {
  readonly width: number;
  readonly height: number;
  at(x: number, y: number): number;
}

let folder: string;
let objects: BlobStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'screenshot-secrets-'));
  objects = await createObjectStore({ kind: 'folder', dir: folder }, systemClock);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Secrets in a grid. In a reduced screenshot, their areas begin within pixels. */
const gridOf = (seed: number) =>
  Array.from({ length: COLUMNS * ROWS }, (_, index) => ({
    secret: createHash('sha256').update(`${seed}/${index}`).digest('hex').slice(0, 10),
    bounds: { x: 7 + (index % COLUMNS) * 127, y: 5 + Math.floor(index / COLUMNS) * 39, width: 97, height: 23 },
  }));

/** A white page that shows the secrets, as a JPEG of this width. */
function drawPage(grid: ReturnType<typeof gridOf>, width: number): Promise<Buffer> {
  const texts = grid.map(
    ({ secret, bounds: { x, y } }) =>
      `<text x="${x + 3}" y="${y + 16}" font-size="15" font-family="monospace">${secret}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="800"><rect width="1280" height="800" fill="#fff"/>${texts.join('')}</svg>`;
  return sharp(Buffer.from(svg)).resize({ width }).jpeg({ quality: 85 }).toBuffer();
}

/** Luminance of each pixel. */
async function luminanceOf(jpeg: Buffer): Promise<Luminance> {
  const { data, info } = await sharp(jpeg).grayscale().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, at: (x, y) => data[y * info.width + x] ?? 0 };
}

/** Pixels of an area of the page, in a screenshot of this scale. */
function* pixelsOf({ x, y, width, height }: Bounds, scale: number) {
  for (let row = Math.ceil(y * scale); row < Math.floor((y + height) * scale); row += 1)
    for (let column = Math.ceil(x * scale); column < Math.floor((x + width) * scale); column += 1)
      yield [column, row] as const;
}

/** Number of dark pixels that belong to no area, with a margin of `MARGIN` pixels. */
function countDarkOutside({ width, height, at }: Luminance, areas: readonly Bounds[], scale: number): number {
  const margin = MARGIN / scale;
  const covered = new Uint8Array(width * height);
  for (const { x, y, width: w, height: h } of areas)
    for (const [column, row] of pixelsOf(
      { x: x - margin, y: y - margin, width: w + 2 * margin, height: h + 2 * margin },
      scale,
    ))
      covered[row * width + column] = 1;
  let dark = 0;
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1)
      dark += Number(at(column, row) < MIN_PAGE_LUMINANCE && !covered[row * width + column]);
  return dark;
}

test('10,000 secrets that pages show are in no screenshot of a dataset', async () => {
  let shown = 0;
  let found = 0;
  let darkOutside = 0;
  for (let seed = 0; seed < SCREENSHOTS; seed += 1) {
    const grid = gridOf(seed);
    const width = SCREENSHOT_WIDTHS[seed % SCREENSHOT_WIDTHS.length] ?? VIEWPORT.width;
    const source = await drawPage(grid, width);
    const run = randomUUID();
    const record = turnRecord();
    const elements = grid.map(({ secret, bounds }, index) => ({
      ...anElement(index + 1),
      ...{ name: 'Password', value: secret, secret: true as const, bounds },
    }));
    const document = { ...record, run, observation: { ...record.observation, viewport: VIEWPORT, elements } };
    const put = (name: string, data: Buffer, contentType: string) =>
      objects.put(`${run}/${name}`, data, { contentType, maxBytes: data.length });
    await put('turn.json', Buffer.from(JSON.stringify(document)), 'application/json');
    await put('turn.jpg', source, 'image/jpeg');
    const loaded = await loadExample(
      objects,
      {
        ...{
          cursor: { createdAt: '2026-11-01T12:00:00.000Z', run, ordinal: 1 },
          run,
          ordinal: 1,
          workflowName: 'shop',
        },
        ...{ sites: ['shop.test'], quality: 'good', reason: '', correctedThought: null, correctedActions: null },
        ...{ source: 'rule', recordKey: `${run}/turn.json`, hasScreenshot: true, screenshotKey: `${run}/turn.jpg` },
      },
      { seed: 1, shares: { train: 1, validation: 0, test: 0 } },
    );
    if (loaded.kind !== 'example' || !loaded.image)
      throw new Error(`The step has no screenshot: ${JSON.stringify(loaded)}`);
    expect(loaded.redactions).toBeGreaterThanOrEqual(grid.length);
    const [original, covered] = [await luminanceOf(source), await luminanceOf(loaded.image)];
    const scale = width / VIEWPORT.width;
    for (const { bounds } of grid) {
      const pixels = [...pixelsOf(bounds, scale)];
      shown += Number(pixels.some(([x, y]) => original.at(x, y) < MIN_PAGE_LUMINANCE));
      found += Number(pixels.some(([x, y]) => covered.at(x, y) > MAX_COVER_LUMINANCE));
    }
    darkOutside += countDarkOutside(
      covered,
      grid.map(({ bounds }) => bounds),
      scale,
    );
  }
  expect({ shown, found, darkOutside }).toEqual({ shown: 10_000, found: 0, darkOutside: 0 });
}, 120_000);
