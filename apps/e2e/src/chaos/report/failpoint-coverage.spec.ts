import { failpoints, failpointInfo, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../checks/stored-run.ts';
import { firedIn } from '../system/fired-failpoint.ts';
import { REQUIRED_HITS, hitOf, countHits, undercoveredHits, type Hit } from './failpoint-coverage.ts';

const runs = [
  { id: 'one', epoch: 1 },
  { id: 'other', epoch: 2 },
] as RunFacts[];

const hitsIn = (line: string) => firedIn(['something else', line]).map((fired) => hitOf(fired, runs));

test.each([
  ['of a run that ended in one attempt', 'of one', { with: false, without: true }],
  ['of a recovered run', 'of other', { with: true, without: false }],
  ['of several runs, counted separately', 'of other,one', { with: true, without: true }],
  ['of a run that was never stored', 'of unknown', { with: false, without: true }],
])('a hit %s', (_, suffix, flags) => {
  expect(hitsIn(`failpoint gateway.claimed:3=pause/20 ${suffix}`)).toEqual([
    { failpoint: 'gateway.claimed', ...flags, killed: false },
  ]);
});

test.each([
  ['kill', true],
  ['stop', false],
  ['pause/3500', false],
])('%s: killed there is %p', (action, killed) => {
  expect(hitsIn(`failpoint gateway.claimed:3=${action} of one`)).toMatchObject([{ killed }]);
});

const names = Object.keys(failpoints) as Failpoint[];
const times = (count: number, failpoint: string, sides: Omit<Hit, 'failpoint'>): Hit[] =>
  Array.from({ length: count }, () => ({ failpoint, ...sides }));
const everySide = { with: true, without: true, killed: true };
const most = Math.max(...Object.values(REQUIRED_HITS));

test('each failpoint needs every kind of hit, unless it implies recovery', () => {
  expect(undercoveredHits([])).toHaveLength(names.length * 3 - 1);
  const sufficient = names.map((name) => ({ fired: times(most, name, everySide) }));
  expect(undercoveredHits(sufficient)).toEqual([]);
  const recoveredOnly = names.map((name) => ({ fired: times(most, name, { ...everySide, without: false }) }));
  expect(undercoveredHits(recoveredOnly)).toHaveLength(names.length - 1);
  const restored = countHits(recoveredOnly)['worker.restored'];
  expect(restored).toEqual({ with: most, without: 0, killed: most });
  expect(failpointInfo('worker.restored').onlyAfterRecovery).toMatch(/^[A-Z].*\.$/);
});

test.each(Object.entries(REQUIRED_HITS))('%s: one less than %i is too seldom', (side, neededCount) => {
  const otherCases = names
    .filter((name) => name !== 'worker.question-durable')
    .map((name) => ({ fired: times(most, name, everySide) }));
  const caseResults = [
    { fired: times(most, 'worker.question-durable', { ...everySide, [side]: false }) },
    {
      fired: times(neededCount - 1, 'worker.question-durable', {
        with: false,
        without: false,
        killed: false,
        [side]: true,
      }),
    },
  ];
  expect(undercoveredHits([...otherCases, ...caseResults])).toEqual([
    { name: 'worker.question-durable', side, times: neededCount - 1 },
  ]);
});
