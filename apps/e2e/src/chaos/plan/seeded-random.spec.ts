import { SeededRandom } from './seeded-random.ts';

const thousand = (seed: string) => {
  const random = new SeededRandom(seed);
  return Array.from({ length: 1000 }, () => random.next());
};

test('the same seed yields the same numbers, another seed others', () => {
  expect(thousand('7/3')).toEqual(thousand('7/3'));
  expect(thousand('7/3')).not.toEqual(thousand('7/4'));
});

test('numbers are evenly distributed and within their bounds', () => {
  const numbers = thousand('even');
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((sum, number) => sum + number, 0) / 1000).toBeCloseTo(0.5, 1);
  const random = new SeededRandom('whole');
  const prompt = new Set(Array.from({ length: 200 }, () => random.integer(2, 4)));
  expect([...prompt].sort()).toEqual([2, 3, 4]);
});

test('shuffling preserves every item', () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const shuffled = new SeededRandom('deck').shuffle(items);
  expect(shuffled).not.toEqual(items);
  expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
});
