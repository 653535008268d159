import type { Locator } from '@pilothouse/contract';

/** Key names of models (lower case, without spaces, hyphens and underscores) → key names of actions. */
const names: Readonly<Record<string, string>> = {
  ctrl: 'Control',
  control: 'Control',
  controlormeta: 'ControlOrMeta',
  cmd: 'Meta',
  command: 'Meta',
  meta: 'Meta',
  super: 'Meta',
  win: 'Meta',
  alt: 'Alt',
  option: 'Alt',
  shift: 'Shift',
  enter: 'Enter',
  return: 'Enter',
  esc: 'Escape',
  escape: 'Escape',
  tab: 'Tab',
  space: 'Space',
  backspace: 'Backspace',
  delete: 'Delete',
  del: 'Delete',
  insert: 'Insert',
  home: 'Home',
  end: 'End',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  arrowup: 'ArrowUp',
  arrowdown: 'ArrowDown',
  arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight',
};

function keyOf(name: string): string | null {
  if ([...name].length === 1) return name;
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '');
  if (/^f(?:[1-9]|1[0-2])$/.test(plain)) return plain.toUpperCase();
  return Object.hasOwn(names, plain) ? (names[plain] ?? null) : [...plain].length === 1 ? plain : null;
}

/** Joins keys to a chord: `Control+C`. @returns null if one of them is not a key */
export function toKeyChord(keys: readonly string[]): string | null {
  const known = keys.map(keyOf);
  return known.length > 0 && known.every((key) => key !== null) ? known.join('+') : null;
}

/** Observation data that a dialect needs. */
export interface AnswerContext {
  /** Index of the focused element, which receives texts without a target; null: no focus. */
  readonly focused: number | null;
  /** Pixels of the image in the request; null: no image. */
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Names of the secrets of the run. */
  readonly secrets: readonly string[];
}

const inside = (value: number) => Number.isFinite(value) && value >= 0 && value <= 1000;

/** Locator of a point in thousandths. @returns null if the coordinates are invalid */
export const toPointLocator = (x: unknown, y: unknown): Locator | null => {
  const [left, top] = [toNumber(x), toNumber(y)];
  return left !== null && top !== null && inside(left) && inside(top) ? { point: { x: left, y: top } } : null;
};

/** Locator of a point in pixels of the image. */
export const pixelsToPointLocator = (x: unknown, y: unknown, { image }: AnswerContext): Locator | null => {
  const [left, top] = [toNumber(x), toNumber(y)];
  if (left === null || top === null || !image) return null;
  return toPointLocator((left / image.width) * 1000, (top / image.height) * 1000);
};

export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && /^\s*-?\d{1,7}(?:\.\d{1,9})?\s*$/.test(value) ? Number(value) : null;
}

/** Pixels of one scroll. */
const TURN = 500;

const ways: Readonly<Record<string, { x?: number; y?: number }>> = {
  down: { y: TURN },
  up: { y: -TURN },
  right: { x: TURN },
  left: { x: -TURN },
};

/** Scroll distance in pixels. @returns null if the direction is invalid */
export const scrollDistance = (direction: unknown): { x?: number; y?: number } | null =>
  typeof direction === 'string' ? (ways[direction.trim().toLowerCase()] ?? null) : null;
