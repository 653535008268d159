import type { Locator } from '@pilothouse/contract';

/** What a dialect may have to know of what the model saw. */
export interface AnswerContext {
  /** Number of the element that has the focus, where texts without a target go; null: none has. */
  readonly focused: number | null;
  /** Pixels of the image that the model was given; null: it was given none. */
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Names of the secrets of the run. */
  readonly secrets: readonly string[];
}

const inside = (value: number) => Number.isFinite(value) && value >= 0 && value <= 1000;

/** A place in thousandths. @returns null for what is none */
export const toPointLocator = (x: unknown, y: unknown): Locator | null => {
  const [left, top] = [toNumber(x), toNumber(y)];
  return left !== null && top !== null && inside(left) && inside(top) ? { at: { x: left, y: top } } : null;
};

/** A place in pixels of the image. */
export const pixelsToPointLocator = (x: unknown, y: unknown, { image }: AnswerContext): Locator | null => {
  const [left, top] = [toNumber(x), toNumber(y)];
  if (left === null || top === null || !image) return null;
  return toPointLocator((left / image.width) * 1000, (top / image.height) * 1000);
};

export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && /^\s*-?\d{1,7}(?:\.\d{1,9})?\s*$/.test(value) ? Number(value) : null;
}

/** Pixels that one turn of a wheel scrolls. */
const TURN = 500;

const ways: Readonly<Record<string, { x?: number; y?: number }>> = {
  down: { y: TURN },
  up: { y: -TURN },
  right: { x: TURN },
  left: { x: -TURN },
};

/** How far a direction scrolls. @returns null for what is none */
export const scrollDistance = (direction: unknown): { x?: number; y?: number } | null =>
  typeof direction === 'string' ? (ways[direction.trim().toLowerCase()] ?? null) : null;
