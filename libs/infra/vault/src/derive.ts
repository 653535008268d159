import { hkdfSync } from 'node:crypto';

/** Bytes of a master key and of every key that is derived from it. */
export const KEY_BYTES = 32;

/**
 * A key for one purpose (HKDF-SHA256, RFC 5869). Keys of different purposes tell nothing about each other, so one that leaks
 * endangers neither the master key nor the others.
 * @param salt of a single use, where the purpose has many
 */
export function deriveKey(
  from: Buffer,
  purpose: string,
  { salt = Buffer.alloc(0), bytes = KEY_BYTES }: { salt?: Buffer; bytes?: number } = {},
): Buffer {
  return Buffer.from(hkdfSync('sha256', from, salt, `pilothouse/${purpose}`, bytes));
}
