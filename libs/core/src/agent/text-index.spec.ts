import { answerParts } from './claim-evidence.ts';
import { hasNumber, hasWords, normalizeText } from './observed-text.ts';
import { SearchBudget, TextIndex } from './text-index.ts';

/** Numbers from 0 to 1, the same in each run. */
function* randomNumbers(): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 16_807) % 2_147_483_647) yield seed / 2_147_483_647;
}

const countsOf = (parts: ReturnType<typeof answerParts>) =>
  Object.fromEntries([...Map.groupBy(parts, ({ origin }) => origin)].map(([origin, { length }]) => [origin, length]));

test('finds the same values as a search of each value', () => {
  const random = randomNumbers();
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random.next().value * items.length)] as Item;
  const parts = ['a', 'ab', 'b', ' ', ' ', '.', ',', '-', '1', '23', '山', '田', 'ไ', "'", '€', '𠮷', 'é'];
  const textOf = (length: number) => normalizeText(Array.from({ length }, () => pick(parts)).join(''));
  for (let round = 0; round < 300; round += 1) {
    const text = textOf(60);
    const index = new TextIndex(text);
    for (let search = 0; search < 30; search += 1) {
      const value = textOf(1 + (search % 5));
      const number = pick([-1, 1, 23, 1.23, 123, 1123, 23.1]);
      const budget = new SearchBudget(1_000_000);
      expect([text, value, index.has(value, budget)]).toEqual([text, value, hasWords(text, value)]);
      expect([text, number, index.has(number, budget)]).toEqual([text, number, hasNumber(text, number)]);
    }
  }
});

const rows = Array.from({ length: 20_000 }, (_, row) => `row ${row} item number ${row * 7} costs ${row}.50 euro`);
const page = rows.join(' | ');

test.each<[string, (row: number) => string | number, string, 'page' | 'missing']>([
  ['texts of the page', (row) => `Item number ${row * 7}`, page, 'page'],
  ['numbers of the page', (row) => row * 7, page, 'page'],
  ['texts that differ in one word', (row) => `item nummer ${row}`, page, 'missing'],
  ['numbers of no page', (row) => row * 7 + 0.25, page, 'missing'],
  ['equal texts', () => 'euro', page, 'page'],
  [
    'words that nearly match a page of one word',
    (row) => `b${'a'.repeat(row % 300)}`,
    'a'.repeat(1_000_000),
    'missing',
  ],
  [
    'a script without spaces',
    (row) => `商品${String.fromCharCode(0x4e00 + (row % 9000))}`,
    '商品です。'.repeat(200_000),
    'missing',
  ],
])('traces an answer of 20,000 values on a page of 1 MB within the work limit: %s', (_, valueOf, text, origin) => {
  const answer = rows.map((_row, index) => ({ value: valueOf(index) }));
  expect(countsOf(answerParts(answer, null, [text]))).toEqual({ [origin]: 20_000 });
});

test('values that would take too long are not checked', () => {
  const answer = rows.map((_row, index) => `a ${'a '.repeat(index % 500)}-a`);
  const { unchecked = 0, missing = 0, page: found = 0 } = countsOf(answerParts(answer, null, ['a '.repeat(500_000)]));
  expect({ found, sum: unchecked + missing }).toEqual({ found: 0, sum: 20_000 });
  expect(unchecked).toBeGreaterThan(10_000);
});

test('a text of 1 MB has a source', () => {
  expect(answerParts(page, null, [page])).toMatchObject([{ pointer: '', origin: 'page' }]);
  expect(answerParts(`${page}!`, null, [page])).toMatchObject([{ pointer: '', origin: 'missing' }]);
});
