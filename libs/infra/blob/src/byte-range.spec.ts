import { parseRangeHeader } from './byte-range.ts';

test.each([
  [undefined, 100, 'all'],
  ['bytes=0-9', 100, { start: 0, end: 9 }],
  ['bytes=90-', 100, { start: 90, end: 99 }],
  ['bytes=90-500', 100, { start: 90, end: 99 }],
  ['bytes=-10', 100, { start: 90, end: 99 }],
  ['bytes=-500', 100, { start: 0, end: 99 }],
  ['bytes=100-', 100, 'none'],
  ['bytes=-0', 100, 'none'],
  ['bytes=0-', 0, 'none'],
  ['bytes=-5', 0, 'none'],
  ['bytes=9-0', 100, 'all'],
  ['bytes=-', 100, 'all'],
  ['bytes=0-1,5-6', 100, 'all'],
  ['pages=1-2', 100, 'all'],
])('the range %j of %i bytes is %j', (header, size, expected) => {
  expect(parseRangeHeader(header, size)).toEqual(expected);
});
