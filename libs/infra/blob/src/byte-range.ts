import { PilothouseError } from '@pilothouse/contract';
import type { BlobRange } from '@pilothouse/core';

/**
 * First and last byte of a range in an object of `size` bytes; an `end` beyond the object means its last byte.
 * @throws PilothouseError VALIDATION_FAILED when the range begins beyond the end
 */
export function resolveByteRange(range: BlobRange | undefined, size: number): { start: number; end: number } {
  const { start = 0, end = size - 1 } = range ?? {};
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && (!range || start < size);
  if (!valid || (range && end < start)) {
    throw new PilothouseError('VALIDATION_FAILED', `Bytes ${start} to ${end} are not in an object of ${size} bytes`);
  }
  return { start, end: Math.min(end, size - 1) };
}

/** The error for an object that may be written once and was. */
export const alreadyThere = (key: string) =>
  new PilothouseError('CONFLICT', `The object ${key} is stored already: its link writes once; ask for a new link`);

/** The error for a key that names nothing. */
export const objectNotFound = (key: string) => new PilothouseError('NOT_FOUND', `There is no object ${key}`);

/**
 * One range of a `Range` header in an object of `size` bytes. `all`: there is none, or one we do not serve (several ranges,
 * another unit), so the whole is sent, as RFC 9110 allows. `none`: it lies outside.
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
