import type { Json } from '@pilothouse/contract/primitives.schema';

/**
 * JSON with the keys of objects in the order of their UTF-16 code units, without blanks. The same value always gives the same text.
 * Fields with `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value as Json));
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] as Json)]));
}
