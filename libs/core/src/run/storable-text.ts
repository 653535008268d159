import type { FieldError, Json } from '@pilothouse/contract';
import { escapePointer } from '../workflow/templates.ts';

/** Maximum number of reported problems. */
const MOST_TOLD = 20;

/** Maximum length of a name in a pointer, and of a pointer, in characters, so that responses stay short. */
const LONGEST_NAME = 200;
const LONGEST_POINTER = 2_000;

/** Replaces characters that PostgreSQL rejects but pages contain: NUL and unpaired surrogates. */
export const toStorableText = (text: string) =>
  isStorableText(text) ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();

/** Whether PostgreSQL accepts a text. */
export const isStorableText = (text: string) => !text.includes('\0') && text.isWellFormed();

/** Makes all strings of a value, including keys, storable. Returns the same object if nothing changes. */
export function toStorable<Value extends Json>(value: Value): Value;
export function toStorable(value: Json): Json {
  return isStorable(value) ? value : mended(value);
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== 'object' || value === null) return true;
  return Object.keys(value).every((key) => isStorableText(key) && isStorable(value[key] ?? null));
}

function mended(value: Json): Json {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toStorableText(key), mended(item)]));
}

/** A value within another one. */
interface Spot {
  readonly value: unknown;
  readonly key: string;
  readonly within: Spot | null;
  /** Pointers relative to this value whose strings may contain anything. */
  readonly except: readonly string[];
}

/**
 * Finds strings, including keys, that PostgreSQL rejects. Reports the first few.
 * @param where.at pointer of the value; `except`: pointers whose strings may contain anything
 */
export function storableTextErrors(
  value: unknown,
  { at = '', except = [] }: { at?: string; except?: readonly string[] } = {},
): FieldError[] {
  const found: FieldError[] = [];
  const look = (spot: Spot, text: string, what: string) => {
    if (found.length < MOST_TOLD && !isStorableText(text))
      found.push({ pointer: at + pointerOf(spot), detail: `${what} ${whatIsOdd(text)}` });
  };
  // Iterative, because external values may be nested deeper than the call stack.
  const open: Spot[] = [{ value, key: '', within: null, except }];
  for (let spot = open.pop(); spot && found.length < MOST_TOLD; spot = open.pop()) {
    if (spot.except.includes('')) continue;
    look(spot, spot.key, 'The name');
    if (typeof spot.value === 'string') look(spot, spot.value, 'The text');
    if (typeof spot.value !== 'object' || spot.value === null) continue;
    for (const [key, item] of Object.entries(spot.value).reverse() as [string, unknown][])
      open.push({ value: item, key, within: spot, except: below(spot.except, key) });
  }
  return found;
}

/** Pointers below a key. */
const below = (pointers: readonly string[], name: string) =>
  pointers.flatMap((pointer) =>
    pointer.startsWith(name, 1) && ['/', undefined].includes(pointer[name.length + 1])
      ? [pointer.slice(name.length + 1)]
      : [],
  );

function pointerOf(spot: Spot): string {
  const parts: string[] = [];
  for (let at = spot; at.within; at = at.within)
    parts.push(`/${escapePointer(toStorableText(cut(at.key, LONGEST_NAME)))}`);
  return cut(parts.reverse().join(''), LONGEST_POINTER);
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

const whatIsOdd = (text: string) =>
  text.includes('\0')
    ? 'has a NUL (U+0000) in it, which cannot be kept: remove it'
    : 'has half of a surrogate pair in it (U+D800 to U+DFFF), which cannot be kept: send the whole character, or remove it';
