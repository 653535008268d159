import { failpoints, failpointInfo, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../checks/stored-run.ts';
import { firedIn } from '../system/fired-failpoint.ts';
import { REQUIRED_PASSAGES, passageOf, passages, undercoveredPassages, type Passage } from './failpoint-coverage.ts';

const runs = [
  { id: 'one', epoch: 1 },
  { id: 'other', epoch: 2 },
] as RunFacts[];

const passagesIn = (line: string) => firedIn(['something else', line]).map((fired) => passageOf(fired, runs));

test.each([
  ['of a run that ended in one attempt', 'of one', { with: false, without: true }],
  ['of a recovered run', 'of other', { with: true, without: false }],
  ['of several runs, counted separately', 'of other,one', { with: true, without: true }],
  ['of a run that was never stored', 'of unknown', { with: false, without: true }],
])('a passage %s', (_, suffix, flags) => {
  expect(passagesIn(`failpoint gateway.claimed:3=pause/20 ${suffix}`)).toEqual([
    { failpoint: 'gateway.claimed', ...flags, killed: false },
  ]);
});

test.each([
  ['kill', true],
  ['stop', false],
  ['pause/3500', false],
])('%s: killed there is %p', (action, killed) => {
  expect(passagesIn(`failpoint gateway.claimed:3=${action} of one`)).toMatchObject([{ killed }]);
});

const names = Object.keys(failpoints) as Failpoint[];
const times = (count: number, failpoint: string, sides: Omit<Passage, 'failpoint'>): Passage[] =>
  Array.from({ length: count }, () => ({ failpoint, ...sides }));
const all = { with: true, without: true, killed: true };
const most = Math.max(...Object.values(REQUIRED_PASSAGES));

test('each failpoint needs every kind of passage, unless it implies recovery', () => {
  expect(undercoveredPassages([])).toHaveLength(names.length * 3 - 1);
  const sufficient = names.map((name) => ({ fired: times(most, name, all) }));
  expect(undercoveredPassages(sufficient)).toEqual([]);
  const recoveredOnly = names.map((name) => ({ fired: times(most, name, { ...all, without: false }) }));
  expect(undercoveredPassages(recoveredOnly)).toHaveLength(names.length - 1);
  const restored = passages(recoveredOnly)['worker.restored'];
  expect(restored).toEqual({ with: most, without: 0, killed: most });
  expect(failpointInfo('worker.restored').onlyAfterRecovery).toMatch(/^[A-Z].*\.$/);
});

test.each(Object.entries(REQUIRED_PASSAGES))('%s: one less than %i is too seldom', (side, neededCount) => {
  const otherCases = names
    .filter((name) => name !== 'worker.question-durable')
    .map((name) => ({ fired: times(most, name, all) }));
  const caseResults = [
    { fired: times(most, 'worker.question-durable', { ...all, [side]: false }) },
    {
      fired: times(neededCount - 1, 'worker.question-durable', {
        with: false,
        without: false,
        killed: false,
        [side]: true,
      }),
    },
  ];
  expect(undercoveredPassages([...otherCases, ...caseResults])).toEqual([
    { name: 'worker.question-durable', side, times: neededCount - 1 },
  ]);
});
