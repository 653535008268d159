import { wildcard, wildcardRegExp } from './wildcard.ts';

test.each([
  ['https://shop.example/*', 'https://shop.example/cart', true],
  ['https://shop.example/*', 'https://other.example/cart', false],
  ['*', '', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a*a', 'a', false],
  ['a**a', 'aa', true],
  ['*.png', 'x.png.exe', false],
  ['a*b*', 'ab', true],
  ['*?q=[1]*', 'https://x.test/?q=[1]&r', true],
  ['exact.', 'exact!', false],
  ['a*\nb', 'a\n\nb', true],
])('%j matches %j: %s', (pattern, text, isMatch) => {
  expect(wildcard(pattern)(text)).toBe(isMatch);
  expect(wildcardRegExp(pattern).test(text)).toBe(isMatch);
});

test('many wildcards take linear time', () => {
  const pattern = `${'*a'.repeat(200)}*!`;
  const start = performance.now();
  expect(wildcard(pattern)('a'.repeat(100_000))).toBe(false);
  expect(wildcardRegExp(pattern).test('a'.repeat(100_000))).toBe(false);
  expect(wildcardRegExp('*a*b').test('a'.repeat(100_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(1000);
});
