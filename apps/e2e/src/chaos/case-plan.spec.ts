import { failpoints, type Failpoint } from '@pilothouse/infra-fault';
import { killsAt, type Variation } from './faults/failpoint-faults.ts';
import { faults } from './faults/fault-table.ts';
import { REQUIRED_HITS } from './report/failpoint-coverage.ts';
import { addedAt, generateCases, FULL_SET_SIZE, MINIMUM, addedCase, type CasePlan } from './case-plan.ts';

function takeCases(seed: string, count = FULL_SET_SIZE): CasePlan[] {
  const caseTemplates = generateCases(seed);
  return Array.from({ length: count }, () => caseTemplates.next().value as CasePlan);
}
const names = (cases: readonly CasePlan[]) =>
  cases.map(({ index, fault, variation, surface }) => `${index} ${fault} ${variation} ${surface}`);

test('the full set has at least 200 cases, 30 of them in a real browser, and every fault and failpoint', () => {
  const cases = takeCases('1');
  expect(cases.length).toBeGreaterThanOrEqual(MINIMUM.cases);
  expect(cases.filter(({ surface }) => surface === 'browser').length).toBeGreaterThanOrEqual(MINIMUM.browsers);
  expect(new Set(cases.map(({ fault }) => fault))).toEqual(
    new Set([...Object.keys(faults), ...Object.keys(failpoints)]),
  );
});

test('a seed determines the order of cases, and numbers continue after the full set', () => {
  expect(names(takeCases('1'))).toEqual(names(takeCases('1')));
  expect(names(takeCases('1'))).not.toEqual(names(takeCases('2')));
  expect(takeCases('1', FULL_SET_SIZE + 3).map(({ index }) => index)).toEqual(
    Array.from({ length: FULL_SET_SIZE + 3 }, (_, index) => index),
  );
});

test('rare cases come first', () => {
  const isRare = ({ fault, variation }: CasePlan) =>
    /^(all paused briefly|worker exits)/.test(fault) ||
    variation.startsWith('killed') ||
    `${fault}, ${variation}` === 'sweeper.reclaimed, delayed';
  const cases = takeCases('1');
  const rare = cases.filter(isRare);
  expect(rare.length).toBeGreaterThan(10);
  expect(cases.slice(0, MINIMUM.cases)).toEqual(expect.arrayContaining(rare));
});

test('every fault is in the minimum', () => {
  for (const seed of ['1', '2', '3']) {
    const least = new Set(takeCases(seed, MINIMUM.cases).map(({ fault }) => fault));
    expect(Object.keys(faults).filter((fault) => !least.has(fault))).toEqual([]);
  }
});

test('the minimum kills a process at each failpoint often enough', () => {
  for (const seed of ['1', '2', '3']) {
    const least = Map.groupBy(takeCases(seed, MINIMUM.cases), ({ fault }) => fault);
    const killed = (name: Failpoint) =>
      (least.get(name) ?? []).reduce((sum, { variation }) => sum + killsAt(name, variation as Variation), 0);
    const seldom = (Object.keys(failpoints) as Failpoint[]).filter((name) => killed(name) < REQUIRED_HITS.killed);
    expect(seldom).toEqual([]);
  }
});

test('an added case is found by its number', () => {
  const names = Object.keys(failpoints) as (keyof typeof failpoints)[];
  const sides = ['with', 'without', 'killed'] as const;
  const addedCases = names.flatMap((name, index) => sides.map((side) => addedCase(index, { name, side })));
  expect(addedCases.map(({ index }) => addedAt(index))).toEqual(addedCases);
  expect(new Set(addedCases.map(({ index }) => index)).size).toBeGreaterThan(names.length);
  expect(addedAt(FULL_SET_SIZE)).toBeUndefined();
  expect(addedCase(0, { name: 'run.inserted', side: 'killed' })).toMatchObject({
    fault: 'run.inserted',
    variation: 'killed',
  });
});
