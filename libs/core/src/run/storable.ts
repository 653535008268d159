import type { FieldProblem, Json } from '@pilothouse/contract';
import { escapePointer } from '../workflow/template.ts';

/** Problems that are told of one value: enough to mend it, and an answer stays shorter than the request. */
const MOST_TOLD = 20;

/** A text as PostgreSQL keeps it: it keeps neither NUL nor half a surrogate pair; pages have both. */
export const storableText = (text: string) =>
  isStorableText(text) ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();

/** Whether PostgreSQL keeps a text as it is. */
export const isStorableText = (text: string) => !text.includes('\0') && text.isWellFormed();

/** A value whose texts, names included, PostgreSQL keeps: the same value where it keeps all of them, as it mostly does. */
export function storable<Value extends Json>(value: Value): Value;
export function storable(value: Json): Json {
  return isStorable(value) ? value : mended(value);
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== 'object' || value === null) return true;
  return Object.keys(value).every((key) => isStorableText(key) && isStorable(value[key] ?? null));
}

function mended(value: Json): Json {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), mended(item)]));
}

/** A value within another one. */
interface Spot {
  readonly value: unknown;
  readonly key: string;
  readonly within: Spot | null;
}

/**
 * Which texts of a value, names included, PostgreSQL would not keep, the first few: for somebody who can still mend them.
 * @param where.at pointer of the value itself; `except`: pointers at and below which texts may be any
 */
export function unstorable(
  value: unknown,
  { at = '', except = [] }: { at?: string; except?: readonly string[] } = {},
): FieldProblem[] {
  const found: FieldProblem[] = [];
  const tell = (spot: Spot, text: string, what: string) => {
    if (isStorableText(text)) return;
    const pointer = at + pointerOf(spot);
    if (except.some((free) => pointer === free || pointer.startsWith(`${free}/`))) return;
    found.push({ pointer, detail: `${what} ${whatIsOdd(text)}` });
  };
  // A list instead of calls: what comes from outside may be nested more deeply than calls may be.
  const open: Spot[] = [{ value, key: '', within: null }];
  for (let spot = open.pop(); spot && found.length < MOST_TOLD; spot = open.pop()) {
    if (typeof spot.value === 'string') tell(spot, spot.value, 'The text');
    if (typeof spot.value !== 'object' || spot.value === null) continue;
    for (const [key, item] of Object.entries(spot.value).reverse() as [string, unknown][]) {
      const inside = { value: item, key, within: spot };
      tell(inside, key, 'The name');
      open.push(inside);
    }
  }
  return found.slice(0, MOST_TOLD);
}

function pointerOf(spot: Spot): string {
  const parts: string[] = [];
  for (let at = spot; at.within; at = at.within) parts.push(`/${escapePointer(storableText(at.key))}`);
  return parts.reverse().join('');
}

const whatIsOdd = (text: string) =>
  text.includes('\0')
    ? 'has a NUL (U+0000) in it, which cannot be kept: remove it'
    : 'has half of a surrogate pair in it (U+D800 to U+DFFF), which cannot be kept: send the whole character, or remove it';
