import type { Json } from '@pilothouse/contract';

/** A text as PostgreSQL keeps it: it keeps neither NUL nor half a surrogate pair; pages have both. */
export const storableText = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();

/** A value whose texts, names included, PostgreSQL keeps. */
export function storable<Value extends Json>(value: Value): Value;
export function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((item) => storable(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]));
}
