import { size } from './byte-size.ts';

test.each([
  [812, '812 bytes'],
  [1_400_000, '1.4 MB'],
  [123_456, '123 kB'],
])('%d is %s', (bytes, text) => {
  expect(size(bytes)).toBe(text);
});
