import { cohensKappa, reviewerAgreements } from './cohens-kappa.ts';

/** Pairs of labels by their counts. */
const pairs = (counts: Record<string, number>): [string, string][] =>
  Object.entries(counts).flatMap(([key, count]) => {
    const [firstLabel = '', secondLabel = ''] = key.split('/');
    return Array.from({ length: count }, (): [string, string] => [firstLabel, secondLabel]);
  });

test.each([
  // The example of 50 proposals and two readers, and one with the same observed agreement but other shares.
  ['a known table', { 'yes/yes': 20, 'yes/no': 5, 'no/yes': 10, 'no/no': 15 }, 0.7, 0.4],
  ['skewed shares', { 'yes/yes': 45, 'yes/no': 15, 'no/yes': 25, 'no/no': 15 }, 0.6, 0.1304],
  ['more even shares', { 'yes/yes': 25, 'yes/no': 35, 'no/yes': 5, 'no/no': 35 }, 0.6, 0.2593],
  ['full agreement', { 'good/good': 3, 'bad/bad': 2, 'unknown/unknown': 1 }, 1, 1],
  ['full disagreement', { 'good/bad': 5, 'bad/good': 5 }, 0, -1],
  ['agreement by chance', { 'good/good': 1, 'good/bad': 1, 'bad/good': 1, 'bad/bad': 1 }, 0.5, 0],
])('κ of %s', (_, counts, observed, kappa) => {
  const agreement = cohensKappa(pairs(counts));
  expect(agreement.observed).toBeCloseTo(observed, 4);
  expect(agreement.kappa).toBeCloseTo(kappa, 4);
});

test('κ is undefined without items, and when both always gave one label', () => {
  expect(cohensKappa([])).toEqual({ count: 0, observed: null, kappa: null });
  expect(cohensKappa(pairs({ 'good/good': 4 }))).toEqual({ count: 4, observed: 1, kappa: null });
});

test('each pair of reviewers is compared on the items that both labeled', () => {
  const label = (reviewer: string, item: string, quality: string) => ({ reviewer, item, label: quality });
  const agreements = reviewerAgreements([
    label('bob', '1', 'good'),
    label('ada', '1', 'good'),
    label('ada', '2', 'bad'),
    label('bob', '2', 'bad'),
    label('cy', '2', 'good'),
    label('ada', '3', 'good'),
  ]);
  expect(agreements).toEqual([
    { reviewers: ['ada', 'bob'], count: 2, observed: 1, kappa: 1 },
    { reviewers: ['ada', 'cy'], count: 1, observed: 0, kappa: 0 },
    { reviewers: ['bob', 'cy'], count: 1, observed: 0, kappa: 0 },
  ]);
});
