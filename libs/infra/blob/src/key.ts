import { PilothouseError } from '@pilothouse/contract';

const MAX_KEY = 1024;
// A segment is a file name in the folder store: most file systems take 255 bytes.
const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/;

/** Whether this may be a part of a key between two slashes. */
export const isKeySegment = (name: string) => SEGMENT.test(name) && name !== '.' && name !== '..';

/**
 * The segments of a key.
 * @throws PilothouseError VALIDATION_FAILED for anything that is not a path of `[A-Za-z0-9._-]` segments.
 */
export function splitKey(key: string): string[] {
  const segments = key.split('/');
  if (key.length > MAX_KEY || !segments.every(isKeySegment)) {
    throw new PilothouseError(
      'VALIDATION_FAILED',
      `"${key.slice(0, 200)}" is no key of an object: use segments of letters, digits, ".", "_" and "-", joined by "/"`,
    );
  }
  return segments;
}

/** Checks what keys are to begin with: a key, the beginning of one, or nothing. @throws PilothouseError VALIDATION_FAILED */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return;
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  const whole = segments.every(isKeySegment) && (last === '' || /^[A-Za-z0-9._-]{1,200}$/.test(last));
  if (!whole) throw new PilothouseError('VALIDATION_FAILED', `No key begins with "${prefix.slice(0, 200)}"`);
}
