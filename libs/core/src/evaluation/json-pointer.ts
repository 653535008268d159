import type { Json } from '@pilothouse/contract/primitives.schema';

/** Reads a value by JSON Pointer (RFC 6901); undefined: no such value. */
export function readPointer(root: Json, pointer: string): Json | undefined {
  if (pointer === '') return root;
  if (!pointer.startsWith('/')) return undefined;
  let value: Json | undefined = root;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d{0,9})$/.test(key) ? value[Number(key)] : undefined;
    else if (typeof value === 'object' && value !== null) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}
