import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// Base-62 digits of 32 bytes.
const TOKEN_DIGITS = 43;

/** Generates a secret token: the prefix and 256 random bits as letters and digits. A double click selects all of it. */
export function newToken(prefix: string): string {
  let remainder = BigInt(`0x${randomBytes(TOKEN_BYTES).toString('hex')}`);
  let digits = '';
  for (let n = 0; n < TOKEN_DIGITS; n++) {
    digits = DIGITS.charAt(Number(remainder % 62n)) + digits;
    remainder /= 62n;
  }
  return prefix + digits;
}

/** Returns the SHA-256 of a token in hex. A token has 256 random bits, so it needs no salt and no slow hash. */
export const hashToken = (token: string) => createHash('sha256').update(token, 'utf8').digest('hex');

/** Compares two texts in constant time. Does not reveal their lengths. */
export function constantTimeEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
