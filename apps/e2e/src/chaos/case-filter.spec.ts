import { failpoints } from '@pilothouse/infra-fault';
import { REQUIRED_HITS, type CaseCoverage } from './report/failpoint-coverage.ts';
import { selectCases } from './case-filter.ts';
import { FULL_SET_SIZE, FIRST_ADDED_INDEX, MINIMUM, type CasePlan } from './case-plan.ts';

const allHits: CaseCoverage = {
  fired: Object.keys(failpoints).map((failpoint) => ({ failpoint, with: true, without: true, killed: true })),
};

/** Cases of a set that misses everything until this many were added. */
function selectUntil(sufficientAfter: number): CasePlan[] {
  const results: CaseCoverage[] = [];
  const cases: CasePlan[] = [];
  for (const plan of selectCases({ seed: '1', cases: FULL_SET_SIZE }, results)) {
    cases.push(plan);
    if (cases.filter(({ index }) => index >= FIRST_ADDED_INDEX).length === sufficientAfter) {
      results.push(...Array.from({ length: REQUIRED_HITS.with }, () => allHits));
    }
  }
  return cases;
}

test('added cases follow the minimum of the full set and precede its remainder', () => {
  const cases = selectUntil(3);
  const first = cases.findIndex(({ index }) => index >= FIRST_ADDED_INDEX);
  const earlierCases = cases.slice(0, first);
  const browsers = earlierCases.filter(({ surface }) => surface === 'browser');
  expect(earlierCases.length).toBe(MINIMUM.cases);
  expect(browsers.length).toBeGreaterThanOrEqual(MINIMUM.browsers);
  expect(cases.slice(first, first + 3).every(({ index }) => index >= FIRST_ADDED_INDEX)).toBe(true);
  expect(cases.slice(first + 3).map(({ index }) => index)).toEqual(
    Array.from({ length: FULL_SET_SIZE - first }, (_, index) => first + index),
  );
});

test('added cases rotate over all missed failpoints', () => {
  const three = selectUntil(3).filter(({ index }) => index >= FIRST_ADDED_INDEX);
  expect(new Set(three.map(({ fault, variation }) => `${fault} ${variation}`)).size).toBe(3);
});

test('an added case can be repeated by its number, like a case of the full set', () => {
  const addedCases = selectUntil(3).filter(({ index }) => index >= FIRST_ADDED_INDEX);
  const only = new Set([7, ...addedCases.map(({ index }) => index)]);
  const repeatedCases = [...selectCases({ seed: '1', cases: FULL_SET_SIZE, only }, [])];
  expect(repeatedCases.map(({ index }) => index)).toEqual([7, ...addedCases.map(({ index }) => index)]);
  expect(repeatedCases.slice(1)).toEqual(addedCases);
});

test('cases of named failpoints run in addition to the limited cases', () => {
  const name = 'gateway.claimed';
  const cases = [...selectCases({ seed: '1', cases: 12, failpoints: new Set([name]) }, [])];
  expect(cases.slice(0, 12).map(({ index }) => index)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  expect(cases.slice(12).every(({ fault }) => fault === name)).toBe(true);
  const variations = new Set(cases.filter(({ fault }) => fault === name).map(({ variation }) => variation));
  expect(variations).toEqual(new Set(['killed', 'killed with all workers', 'stopped beyond the lease']));
});
