import { nearestRows } from './nearest-rows.ts';

test.each([
  ['a short list is whole', 5, 4, 10, 0, 5],
  ['the middle', 100, 50, 10, 45, 55],
  ['at the start', 100, 2, 10, 0, 10],
  ['at the end', 100, 99, 10, 90, 100],
  ['nothing is looked at', 100, -1, 10, 0, 10],
  ['nothing is there', 0, -1, 10, 0, 0],
])('%s', (_, count, selected, most, start, end) => expect(nearestRows(count, selected, most)).toEqual({ start, end }));
