import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobRange } from '@pilothouse/core/ports/blob-store.port';

/**
 * Returns the first and last byte of a range in an object of `size` bytes. An `end` beyond the object becomes its last
 * byte.
 * @throws PilothouseError VALIDATION_FAILED when the range begins beyond the end
 */
export function resolveByteRange(range: BlobRange | undefined, size: number): { start: number; end: number } {
  const { start = 0, end = size - 1 } = range ?? {};
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && (!range || start < size);
  if (!valid || (range && end < start)) {
    throw new PilothouseError('VALIDATION_FAILED', `Bytes ${start} to ${end} exceed the object size of ${size} bytes`);
  }
  return { start, end: Math.min(end, size - 1) };
}

/** Creates the error for a second write to a write-once object. */
export const alreadyThere = (key: string) =>
  new PilothouseError('CONFLICT', `Object ${key} is already stored. Its link works once; request a new link.`);

/** Creates the error for a missing object. */
export const objectNotFound = (key: string) => new PilothouseError('NOT_FOUND', `Object ${key} not found.`);

/**
 * Parses a `Range` header for an object of `size` bytes. `all`: no header, or an unsupported one (several ranges,
 * another unit); RFC 9110 allows sending the whole object. `none`: the range is not satisfiable.
 */
export function parseRangeHeader(header: string | undefined, size: number): Required<BlobRange> | 'all' | 'none' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return 'all';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'all';
  return start < size ? { start, end } : 'none';
}
