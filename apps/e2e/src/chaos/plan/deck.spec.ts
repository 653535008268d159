import { failpoints } from '@pilothouse/infra-fault';
import { faults } from '../faults/index.ts';
import { deal, DECK, type CasePlan } from './deck.ts';

function deck(seed: string, count = DECK): CasePlan[] {
  const cards = deal(seed);
  return Array.from({ length: count }, () => cards.next().value as CasePlan);
}
const names = (cases: readonly CasePlan[]) =>
  cases.map(({ index, fault, variation, surface }) => `${index} ${fault} ${variation} ${surface}`);

test('a deck has at least 200 cases, 30 of them in a real browser, and every fault and failpoint', () => {
  const cases = deck('1');
  expect(cases.length).toBeGreaterThanOrEqual(200);
  expect(cases.filter(({ surface }) => surface === 'browser').length).toBeGreaterThanOrEqual(30);
  expect(new Set(cases.map(({ fault }) => fault))).toEqual(
    new Set([...Object.keys(faults), ...Object.keys(failpoints)]),
  );
});

test('a seed deals the same cases again, another one in another order, and numbers go on after a deck', () => {
  expect(names(deck('1'))).toEqual(names(deck('1')));
  expect(names(deck('1'))).not.toEqual(names(deck('2')));
  expect(deck('1', DECK + 3).map(({ index }) => index)).toEqual(Array.from({ length: DECK + 3 }, (_, index) => index));
});
