import { isPrintable, keysymOf, planKeycodes } from './keyboard.ts';

/** Keys `a` to `e` of a small keyboard. */
const keys = new Map([...'abcde'].map((character, index) => [10 + index, keysymOf(character.codePointAt(0) ?? 0)]));

test.each([
  ['a', 0x61],
  ['é', 0xe9],
  ['€', 0x010020ac],
  ['日', 0x010065e5],
  ['\n', 0xff0d],
  ['\t', 0xff09],
])('the keysym of %j', (character, keysym) => expect(keysymOf(character.codePointAt(0) ?? 0)).toBe(keysym));

test.each([
  ['a', 0x61, true],
  ['Cyrillic a, as X numbered it', 0x6c1, true],
  ['日', 0x010065e5, true],
  ['Return', 0xff0d, false],
  ['a dead accent', 0xfe51, false],
  ['XF86Back', 0x1008ff26, false],
  ['XF86Paste', 0x1008ff6d, false],
])('the key of %s (keysym %i) may be bound to another character: %s', (_, keysym, expected) =>
  expect(isPrintable(keysym)).toBe(expected),
);

test('characters with a key of their own are not bound', () => {
  const plan = planKeycodes([...'abba'], keys);
  expect([...plan.bindings]).toEqual([]);
  expect([...plan.keycodes]).toEqual([
    ['a', 10],
    ['b', 11],
  ]);
  expect(plan.length).toBe(4);
});

test('other characters are bound to keys that the text does not use', () => {
  const plan = planKeycodes([...'aß日\n'], keys);
  expect(plan.keycodes.get('a')).toBe(10);
  expect([...plan.bindings.values()].toSorted((first, second) => first - second)).toEqual([0xdf, 0x010065e5]);
  expect(plan.bindings.has(10)).toBe(false);
  expect(plan.length).toBe(4);
});

test('a plan ends before the first character that no key is left for', () => {
  const plan = planKeycodes([...'ÄÖÜßéabc'], keys);
  expect(plan.length).toBe(5);
  expect(plan.bindings.size).toBe(5);
  expect(planKeycodes([...'abc'], keys).length).toBe(3);
});
