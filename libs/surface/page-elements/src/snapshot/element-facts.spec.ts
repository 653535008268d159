import { closerKind, isSearchName } from './element-facts.ts';

test.each([
  ['Close', 'always'],
  ['close dialog', 'always'],
  ['Schließen', 'always'],
  ['×', 'in overlay'],
  ['x', 'in overlay'],
  ['Accept all cookies', 'in overlay'],
  ['Not now', 'in overlay'],
  ['Closed orders', 'never'],
  ['Save', 'never'],
])('an element named %p closes something: %s', (name, expected) => {
  expect(closerKind(name)).toBe(expected);
});

test.each([
  ['Search products', true],
  ['Suche', true],
  ['Research', false],
  ['Name', false],
])('a field named %p searches: %p', (name, expected) => {
  expect(isSearchName(name)).toBe(expected);
});
