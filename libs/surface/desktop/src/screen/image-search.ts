import type { Rectangle } from '../x/rectangle.ts';

/** Grey pixels, one byte each. */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Multiplications of the coarse search. About 100 ms. */
const MAX_COARSE_COST = 80_000_000;

const FACTORS = [1, 2, 4, 8] as const;

/** A reduced template is compared with each position of the reduced screen first. Lost details reduce the similarity by this much. */
const COARSE_SLACK = 0.3;

/** Pixels of each side of the part of a large template that is searched first. */
const PATCH_PX = 64;

/** Places that are compared at full size. */
const MAX_CANDIDATES = 40;

/** Minimum standard deviation of the grey values in a template that can be located. */
const MIN_DEVIATION = 2;

interface ScoredPosition {
  readonly x: number;
  readonly y: number;
  readonly score: number;
}

/**
 * Finds a template in the image of a screen by normalized cross-correlation, which ignores brightness and contrast. Searches
 * reduced images first, then at full size around the best positions.
 * @param threshold least similarity of a match, 1 is equal
 * @returns positions that do not overlap, the most similar first
 * @throws Error for a template of one color, or one that is larger than the screen
 */
export function findImage(screen: GreyImage, template: GreyImage, threshold: number): Rectangle[] {
  if (template.width > screen.width || template.height > screen.height)
    throw new Error('The image is larger than the screen; crop the image to its size on the screen');
  if (deviation(template) < MIN_DEVIATION) throw new Error('The image has one color only; cut a part with details');
  const patch = distinctivePatch(template);
  const whole = searchPatch(screen, patch.image, threshold).flatMap(({ x, y, score }) => {
    const position = { x: x - patch.x, y: y - patch.y };
    const isOnScreen =
      position.x >= 0 &&
      position.y >= 0 &&
      position.x + template.width <= screen.width &&
      position.y + template.height <= screen.height;
    if (!isOnScreen) return [];
    return patch.image === template
      ? [{ ...position, score }]
      : scores(screen, template, { ...position, width: 1, height: 1 }, threshold);
  });
  return withoutOverlaps(whole, template.width / 2, template.height / 2).map(({ x, y }) => ({
    x,
    y,
    width: template.width,
    height: template.height,
  }));
}

/** Searches on reduced images, then at full size around the best positions. */
function searchPatch(screen: GreyImage, patch: GreyImage, threshold: number): ScoredPosition[] {
  const factor = factorFor(screen, patch);
  const [smallScreen, smallPatch] = [shrink(screen, factor), shrink(patch, factor)];
  const everywhere = {
    x: 0,
    y: 0,
    width: smallScreen.width - smallPatch.width + 1,
    height: smallScreen.height - smallPatch.height + 1,
  };
  const coarse = scores(smallScreen, smallPatch, everywhere, factor === 1 ? threshold : threshold - COARSE_SLACK);
  if (factor === 1) return coarse;
  const candidates = withoutOverlaps(coarse, Math.max(1, smallPatch.width / 4), Math.max(1, smallPatch.height / 4));
  return candidates.flatMap(({ x, y }) => {
    const left = Math.max(0, (x - 1) * factor);
    const top = Math.max(0, (y - 1) * factor);
    const width = Math.min(3 * factor, screen.width - patch.width - left + 1);
    const height = Math.min(3 * factor, screen.height - patch.height - top + 1);
    return scores(screen, patch, { x: left, y: top, width, height }, threshold);
  });
}

/** The part of a large template with the most contrast, and where it is in it. */
function distinctivePatch(template: GreyImage): { readonly image: GreyImage; readonly x: number; readonly y: number } {
  const width = Math.min(template.width, PATCH_PX);
  const height = Math.min(template.height, PATCH_PX);
  let best = { image: template, x: 0, y: 0 };
  if (width === template.width && height === template.height) return best;
  let bestDeviation = -1;
  for (let y = 0; y + height <= template.height; y += PATCH_PX / 2)
    for (let x = 0; x + width <= template.width; x += PATCH_PX / 2) {
      const image = crop(template, { x, y, width, height });
      const contrast = deviation(image);
      if (contrast > bestDeviation) [best, bestDeviation] = [{ image, x, y }, contrast];
    }
  return best;
}

function crop(image: GreyImage, { x, y, width, height }: Rectangle): GreyImage {
  const data = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    const start = (y + row) * image.width + x;
    data.set(image.data.subarray(start, start + width), row * width);
  }
  return { width, height, data };
}

function factorFor(screen: GreyImage, template: GreyImage): number {
  const cost = screen.width * screen.height * template.width * template.height;
  const isLegible = (factor: number) => Math.min(template.width, template.height) / factor >= 4;
  return FACTORS.find((factor) => cost / factor ** 4 <= MAX_COARSE_COST) ?? FACTORS.findLast(isLegible) ?? 1;
}

/** Places with at least this similarity whose top left corner is in the region. */
function scores(screen: GreyImage, template: GreyImage, region: Rectangle, minScore: number): ScoredPosition[] {
  const { width, height, data } = template;
  const count = width * height;
  const mean = data.reduce((sum, value) => sum + value, 0) / count;
  const norm = Math.sqrt(data.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  const positions: ScoredPosition[] = [];
  for (let y = region.y; y < region.y + region.height; y += 1)
    for (let x = region.x; x < region.x + region.width; x += 1) {
      let [sum, squares, product] = [0, 0, 0];
      for (let row = 0; row < height; row += 1) {
        const start = (y + row) * screen.width + x;
        const rowStart = row * width;
        for (let column = 0; column < width; column += 1) {
          const value = screen.data[start + column] ?? 0;
          sum += value;
          squares += value * value;
          product += value * (data[rowStart + column] ?? 0);
        }
      }
      const deviations = Math.sqrt(Math.max(0, squares - (sum * sum) / count)) * norm;
      const score = deviations < 1 ? 0 : (product - sum * mean) / deviations;
      if (score >= minScore) positions.push({ x, y, score });
    }
  return positions;
}

/** The best positions; of two closer than the distance the better one. */
function withoutOverlaps(positions: readonly ScoredPosition[], minX: number, minY: number): ScoredPosition[] {
  const bestPositions: ScoredPosition[] = [];
  for (const position of positions.toSorted((first, second) => second.score - first.score)) {
    if (bestPositions.length >= MAX_CANDIDATES) break;
    if (!bestPositions.some(({ x, y }) => Math.abs(x - position.x) < minX && Math.abs(y - position.y) < minY))
      bestPositions.push(position);
  }
  return bestPositions;
}

function deviation({ data }: GreyImage): number {
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  return Math.sqrt(data.reduce((sum, value) => sum + (value - mean) ** 2, 0) / data.length);
}

/** Averages squares of pixels. */
function shrink(image: GreyImage, factor: number): GreyImage {
  if (factor === 1) return image;
  const [width, height] = [Math.floor(image.width / factor), Math.floor(image.height / factor)];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let row = 0; row < factor; row += 1)
        for (let column = 0; column < factor; column += 1)
          sum += image.data[(y * factor + row) * image.width + x * factor + column] ?? 0;
      data[y * width + x] = Math.round(sum / (factor * factor));
    }
  return { width, height, data };
}
