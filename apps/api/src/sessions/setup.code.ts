import { createHmac } from 'node:crypto';
import type { Vault } from '@pilothouse/infra-vault';

// Without what looks alike.
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

/**
 * The code with which the first user is made: 80 bits, the same at every replica and after every start, and another one for another database.
 * @param project id of the first project
 */
export function deriveSetupCode({ setUp }: Pick<Vault, 'setUp'>, project: string): string {
  const bytes = createHmac('sha256', setUp).update(project).digest().subarray(0, LENGTH);
  const text = Array.from(bytes, (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
  return text.replace(/(.{4})(?=.)/g, '$1-');
}
