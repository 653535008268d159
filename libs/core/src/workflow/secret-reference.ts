import type { Json } from '@pilothouse/contract/primitives.schema';

/**
 * Name of the project secret that a stored input refers to; null: another value. The API validated the reference, and the console uses
 * this function: the schema is too large for the browser.
 */
export function referencedSecret(value: Json | undefined): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { secret, ...otherFields } = value;
  return typeof secret === 'string' && Object.keys(otherFields).length === 0 ? secret : null;
}
