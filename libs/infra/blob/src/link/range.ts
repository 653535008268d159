import type { BlobRange } from '@pilothouse/core';

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
