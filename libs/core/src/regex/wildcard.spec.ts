import { wildcard } from './wildcard.ts';

test.each([
  ['https://shop.example/*', 'https://shop.example/cart', true],
  ['https://shop.example/*', 'https://other.example/cart', false],
  ['*', '', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a*a', 'a', false],
  ['a**a', 'aa', true],
  ['*.png', 'x.png.exe', false],
  ['exact.', 'exact!', false],
  ['a*\nb', 'a\n\nb', true],
])('%j matches %j: %s', (pattern, text, isMatch) => {
  expect(wildcard(pattern)(text)).toBe(isMatch);
});

test('many stars do not multiply the time', () => {
  const fits = wildcard(`${'*a'.repeat(200)}*!`);
  const start = performance.now();
  expect(fits('a'.repeat(100_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(1000);
});
