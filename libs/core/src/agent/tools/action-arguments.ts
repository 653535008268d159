import type { Locator } from '@pilothouse/contract';

/** Names of keys as models write them, in small letters without spaces, hyphens and underscores → as actions have them. */
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

/** Keys that are pressed together, as a chord of actions: `Control+C`. @returns null when one is no key */
export function toKeyChord(keys: readonly string[]): string | null {
  const known = keys.map(keyOf);
  return known.length > 0 && known.every((key) => key !== null) ? known.join('+') : null;
}

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
  return left !== null && top !== null && inside(left) && inside(top) ? { point: { x: left, y: top } } : null;
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
