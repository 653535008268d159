import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// So many digits of base 62 hold 32 bytes.
const TOKEN_DIGITS = 43;

/** A new secret token: the prefix, then 256 random bits in letters and digits, so that a double click selects it whole. */
export function newToken(prefix: string): string {
  let rest = BigInt(`0x${randomBytes(TOKEN_BYTES).toString('hex')}`);
  let digits = '';
  for (let n = 0; n < TOKEN_DIGITS; n++) {
    digits = DIGITS.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return prefix + digits;
}

/** What is stored of a token: SHA-256 in hex. It has 256 random bits, so no salt and no slow hash is needed. */
export const hashToken = (token: string) => createHash('sha256').update(token, 'utf8').digest('hex');

/** Compares two texts in a time that tells nothing about them, their lengths included. */
export function constantTimeEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(one), digest(other));
}
