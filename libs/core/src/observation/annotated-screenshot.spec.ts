import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { Masker } from '../secret/secret-masker.ts';
import {
  redactBounds,
  drawMarks,
  imagePrint,
  printsDiffer,
  secretBounds,
  type RgbImage,
} from './annotated-screenshot.ts';

const element = (index: number, overrides: Partial<ElementView> = {}): ElementView => ({
  index,
  interactive: true,
  role: 'button',
  name: `B${index}`,
  state: {},
  tags: [],
  bounds: { x: 100 * index, y: 50, width: 60, height: 40 },
  ...overrides,
});
const observationOf = (elements: ElementView[], overrides: Partial<Observation> = {}): Observation => ({
  url: 'https://shop.test/',
  title: 'Shop',
  document: 1,
  loading: false,
  viewport: { width: 400, height: 200 },
  scroll: { above: 0, below: 0 },
  focused: null,
  elements,
  opaqueRegions: [],
  ...overrides,
});
const white = (width = 400, height = 200): RgbImage => ({
  data: new Uint8Array(3 * width * height).fill(255),
  width,
  height,
});
const pixelAt = ({ data, width }: RgbImage, x: number, y: number) => [
  ...data.slice(3 * (y * width + x), 3 * (y * width + x) + 3),
];
const isWhite = (pixels: RgbImage, x: number, y: number) => pixelAt(pixels, x, y).every((value) => value === 255);

describe('marks', () => {
  test('surround elements that accept input, and do not change their center', () => {
    const pixels = white();
    drawMarks(pixels, observationOf([element(1), element(2, { interactive: false })]));
    for (const [x, y] of [
      [130, 50],
      [130, 89],
      [159, 70],
      [101, 80],
    ] as const)
      expect(isWhite(pixels, x, y)).toBe(false);
    expect(isWhite(pixels, 140, 75)).toBe(true);
    for (const [x, y] of [
      [230, 50],
      [99, 49],
      [161, 70],
    ] as const)
      expect(isWhite(pixels, x, y)).toBe(true);
  });

  test('scale with the screenshot', () => {
    const pixels = white(200, 100);
    drawMarks(pixels, observationOf([element(1)]));
    expect(isWhite(pixels, 70, 25)).toBe(false);
    expect(isWhite(pixels, 130, 50)).toBe(true);
  });

  test('stay inside the screenshot if an element does not', () => {
    const pixels = white();
    const outside = { x: -50, y: 190, width: 900, height: 90 };
    drawMarks(pixels, observationOf([element(1234, { bounds: outside })]));
    expect(pixels.data).toHaveLength(3 * 400 * 200);
    expect(isWhite(pixels, 4, 187)).toBe(false);
  });

  test('look different for each number', () => {
    const prints = Array.from({ length: 12 }, (_, index) => {
      const pixels = white();
      // The same place and color: what differs is the number.
      drawMarks(pixels, observationOf([element(6 * index, { bounds: { x: 0, y: 0, width: 300, height: 100 } })]));
      return Buffer.from(pixels.data).toString('base64');
    });
    expect(new Set(prints).size).toBe(12);
  });
});

describe('secrets', () => {
  const masker = new Masker();
  masker.add('harbour-hush');
  const bounds = (view: Partial<ElementView>, overrides: Partial<Observation> = {}) =>
    secretBounds(observationOf([element(1, view)], overrides), masker).length;

  test.each<[string, Partial<ElementView>, number]>([
    ['in a field', { role: 'textbox', value: 'x harbour-hush y' }, 1],
    ['in a text', { interactive: false, role: 'text', name: 'Your code: harbour-hush' }, 1],
    ['in a fallback name', { name: '', fallbackName: 'harbour-hush' }, 1],
    ['a password', { role: 'textbox', value: '••••', secret: true }, 1],
    ['dots that a person typed', { role: 'textbox', value: '••••' }, 0],
    ['nothing', { role: 'textbox', value: 'mooring rope' }, 0],
    ['an empty password', { role: 'textbox', value: '' }, 0],
  ])('%s', (_, view, count) => expect(bounds(view)).toBe(count));

  test('a truncated text is covered if the page contains a secret', () => {
    const text = (value: string) => ({ text: { text: value, length: value.length } });
    expect(bounds({ name: 'Terms', length: 9000 }, text('... harbour-hush ...'))).toBe(1);
    expect(bounds({ name: 'Terms', length: 9000 }, text('nothing'))).toBe(0);
    expect(bounds({ name: 'Terms' }, text('... harbour-hush ...'))).toBe(0);
  });

  test('a covered area has no pixels of the original', () => {
    const pixels = white();
    const original = [...pixelAt(pixels, 130, 70)];
    redactBounds(pixels, [{ x: 100, y: 50, width: 60, height: 40 }], observationOf([]));
    const covered = pixelAt(pixels, 130, 70);
    expect(covered).not.toEqual(original);
    for (let y = 50; y < 90; y += 1) for (let x = 100; x < 160; x += 1) expect(pixelAt(pixels, x, y)).toEqual(covered);
    expect(isWhite(pixels, 170, 70)).toBe(true);
  });
});

describe('fingerprints show whether the page changed', () => {
  const printWithBox = (width: number, height: number) => {
    const pixels = white(1280, 720);
    for (let y = 300; y < 300 + height; y += 1)
      for (let x = 600; x < 600 + width; x += 1) pixels.data.fill(0, 3 * (y * 1280 + x), 3 * (y * 1280 + x) + 3);
    return imagePrint(pixels);
  };
  test.each([
    ['nothing', 0, 0, false],
    ['a caret', 1, 16, false],
    ['a mark in a field', 12, 12, true],
    ['a line of text', 200, 8, true],
  ])('%s', (_, width, height, differs) =>
    expect(printsDiffer(printWithBox(0, 0), printWithBox(width, height))).toBe(differs),
  );
});
