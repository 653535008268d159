import { specBatches } from './spec-batches.ts';

const specs = new Map([
  ['unit', ['a', 'b', 'c', 'd', 'e']],
  ['db', ['f', 'g', 'h']],
  ['e2e', ['i']],
]);
const maxFiles = (suite: string) => (suite === 'unit' ? 3 : 1);
const namesOf = (isInterleaved: boolean) =>
  specBatches(specs, maxFiles, { isInterleaved }).map(({ suite, files }) => `${suite} ${files.join('')}`);

test('batches follow each other suite by suite', () => {
  expect(namesOf(false)).toEqual(['unit abc', 'unit de', 'db f', 'db g', 'db h', 'e2e i']);
});

test('interleaved batches cover every suite first', () => {
  expect(namesOf(true)).toEqual(['unit abc', 'db f', 'e2e i', 'unit de', 'db g', 'db h']);
});

test('without spec files there is no batch', () => {
  expect(specBatches(new Map(), maxFiles, { isInterleaved: true })).toEqual([]);
});
