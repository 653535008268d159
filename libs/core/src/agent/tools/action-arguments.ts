import { APP_ID } from '@pilothouse/contract/actions/desktop-actions.schema';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';

/** Key names of models (lower case, without spaces, hyphens and underscores) → key names of actions. */
const KEY_NAMES: Readonly<Record<string, string>> = {
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
  const normalizedName = name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '');
  if (/^f(?:[1-9]|1[0-2])$/.test(normalizedName)) return normalizedName.toUpperCase();
  return Object.hasOwn(KEY_NAMES, normalizedName)
    ? (KEY_NAMES[normalizedName] ?? null)
    : [...normalizedName].length === 1
      ? normalizedName
      : null;
}

/** Joins keys to a chord: `Control+C`. @returns null if one of them is not a key */
export function toKeyChord(keys: readonly string[]): string | null {
  const keyNames = keys.map(keyOf);
  return keyNames.length > 0 && keyNames.every((key) => key !== null) ? keyNames.join('+') : null;
}

/** Observation data that a dialect needs. */
export interface AnswerContext {
  /** Surface that executes the actions. Actions of other surfaces are problems. */
  readonly surface: SurfaceKind;
  /** Index of the focused element, which receives texts without a target; null: no focus. */
  readonly focused: number | null;
  /** True if a text field that is not in the list has the focus, for example of an editor. */
  readonly hasUnlistedField?: boolean;
  /** Pixels of the image in the request; null: no image. */
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Pointer after the previous turn, in thousandths of the image; null or missing: unknown. */
  readonly pointer?: { readonly x: number; readonly y: number } | null;
  /** Role of an element of the list, by its number; undefined: not listed. */
  readonly roleOf?: (index: number) => string | undefined;
  /** Number of open tabs (default: 1), and position of the current one from 0. */
  readonly tabCount?: number;
  readonly currentTab?: number;
  /** Names of the secrets of the run. */
  readonly secrets: readonly string[];
}

/** Roles of fields that take text at the caret. */
const TEXT_FIELD_ROLES: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

/** The focus of a page for the parser of an answer. @param page null: unknown */
export const focusOf = (
  page: Pick<Observation, 'focused' | 'focus'> | null,
): Pick<AnswerContext, 'focused' | 'hasUnlistedField'> => ({
  focused: page?.focused ?? null,
  ...(page?.focus && TEXT_FIELD_ROLES.has(page.focus.role) && { hasUnlistedField: true }),
});

const isThousandth = (value: number) => Number.isFinite(value) && value >= 0 && value <= 1000;

/** Locator of a point in thousandths. @returns null if the coordinates are invalid */
export const toPointLocator = (x: unknown, y: unknown): Locator | null => {
  const [left, top] = [toNumber(x), toNumber(y)];
  return left !== null && top !== null && isThousandth(left) && isThousandth(top)
    ? { point: { x: left, y: top } }
    : null;
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
const SCROLL_PX = 500;

const SCROLL_VECTORS: Readonly<Record<string, { x?: number; y?: number }>> = {
  down: { y: SCROLL_PX },
  up: { y: -SCROLL_PX },
  right: { x: SCROLL_PX },
  left: { x: -SCROLL_PX },
};

/** Scroll distance in pixels. @returns null if the direction is invalid */
export const scrollDistance = (direction: unknown): { x?: number; y?: number } | null =>
  typeof direction === 'string' ? (SCROLL_VECTORS[direction.trim().toLowerCase()] ?? null) : null;

/** Id of an application, or its name in the form of an id: `LibreOffice Calc` → `libreoffice-calc`. */
export const toAppId = (name: string): string =>
  APP_ID.test(name)
    ? name
    : name
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-|-$/g, '');

/** Names of menus and entries. Models also write one text: `File > Save As`. */
export const toMenuItems = (items: unknown): unknown =>
  typeof items === 'string' ? splitMenuPath(items).flatMap((name) => name.trim() || []) : items;

/** A separator has spaces around it. Without any, each one separates, except in arrows and comparisons such as `A -> Z`. */
function splitMenuPath(path: string): string[] {
  const names = path.split(/(?<=\s)[>›→](?=\s)/);
  return names.length > 1 ? names : path.split(/(?<![-=<>])[>›→](?![>=])/);
}
