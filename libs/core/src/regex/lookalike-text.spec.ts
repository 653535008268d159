import { lookalikePattern, readableText } from './lookalike-text.ts';

test.each([
  ['Cafe\u0301', 'Café'],
  ['\u202APay now\u202C', 'Pay now'],
  ['Down\u200Bload', 'Download'],
  ['\uE001Send\u{F0001}', 'Send'],
])('%j reads as %j', (text, expected) => expect(readableText(text)).toBe(expected));

test.each<[string, string, boolean, boolean]>([
  ['Café order', 'Cafe\u0301 order', true, true],
  ['Cafe\u0301 order', 'Café order', true, true],
  ['Pay now', '\u202APay now\u202C', true, true],
  ['Send', '\uE001 Send', true, true],
  ['\uE001 Send', 'Send', true, true],
  ['Bestellübersicht', 'Bestell\u00ADu\u0308ber\u00ADsicht', true, true],
  ['Save all', 'Save\u00A0all', true, true],
  ['(a) 1/2 [b]', '(a) 1/2\u200B [b]', true, true],
  ['pay', '\u202APay now\u202C', false, true],
  ['pay now', 'Pay now', true, false],
  ['Pay', 'Pay now', true, false],
  ['Cafe', 'Cafe\u0301', true, false],
  ['Cafe', 'Café', false, false],
])('%j finds %j (exact: %s): %s', (text, shown, isExact, expected) =>
  expect(lookalikePattern(text, isExact)?.test(shown)).toBe(expected),
);

test('a text without a readable character has no pattern', () => expect(lookalikePattern('\uE001', true)).toBeNull());

test('a long run of invisible characters takes linear time', () => {
  const pattern = lookalikePattern('a b', false);
  const count = (length: number) => {
    const startedAt = performance.now();
    pattern?.test(`a${'\uFEFF'.repeat(length)}`);
    return performance.now() - startedAt;
  };
  count(1_000);
  // Quadratic time would take seconds.
  expect(count(100_000)).toBeLessThan(500);
});
