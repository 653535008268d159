import type { Json } from '@pilothouse/contract';

/** A text as PostgreSQL keeps it: it keeps neither NUL nor half a surrogate pair; pages have both. */
export const storableText = (text: string) =>
  isStorableText(text) ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();

const isStorableText = (text: string) => !text.includes('\0') && text.isWellFormed();

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
