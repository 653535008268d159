import { failpoints, failpointInfo, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../checks/stored-run.ts';
import { firedIn } from '../system/fired-failpoint.ts';
import { NEEDED, passageOf, passages, rarelyPassed, type Passage } from './failpoint-coverage.ts';

const runs = [
  { id: 'one', epoch: 1 },
  { id: 'other', epoch: 2 },
] as RunFacts[];

const passed = (line: string) => firedIn(['something else', line]).map((fired) => passageOf(fired, runs));

test.each([
  ['of a run that came to its end in one attempt', 'of one', { with: false, without: true }],
  ['of a run that was taken over', 'of other', { with: true, without: false }],
  ['of several runs, each by itself', 'of other,one', { with: true, without: true }],
  ['of a run that was never stored', 'of nobody', { with: false, without: true }],
])('a passage %s', (_, of, is) => {
  expect(passed(`failpoint gateway.claimed:3=pause/20 ${of}`)).toEqual([
    { failpoint: 'gateway.claimed', ...is, killed: false },
  ]);
});

test.each([
  ['kill', true],
  ['stop', false],
  ['pause/3500', false],
])('%s: killed there is %p', (deed, killed) => {
  expect(passed(`failpoint gateway.claimed:3=${deed} of one`)).toMatchObject([{ killed }]);
});

const names = Object.keys(failpoints) as Failpoint[];
const times = (count: number, failpoint: string, sides: Omit<Passage, 'failpoint'>): Passage[] =>
  Array.from({ length: count }, () => ({ failpoint, ...sides }));
const all = { with: true, without: true, killed: true };
const most = Math.max(...Object.values(NEEDED));

test('each failpoint needs every kind of passage, unless it implies recovery', () => {
  expect(rarelyPassed([])).toHaveLength(names.length * 3 - 1);
  const enough = names.map((name) => ({ fired: times(most, name, all) }));
  expect(rarelyPassed(enough)).toEqual([]);
  const taken = names.map((name) => ({ fired: times(most, name, { ...all, without: false }) }));
  expect(rarelyPassed(taken)).toHaveLength(names.length - 1);
  const restored = passages(taken)['worker.restored'];
  expect(restored).toEqual({ with: most, without: 0, killed: most });
  expect(failpointInfo('worker.restored').onlyAfterRecovery).toMatch(/^[A-Z].*\.$/);
});

test.each(Object.entries(NEEDED))('%s: one less than %i is too seldom', (side, needed) => {
  const others = names
    .filter((name) => name !== 'worker.question-durable')
    .map((name) => ({ fired: times(most, name, all) }));
  const asked = [
    { fired: times(most, 'worker.question-durable', { ...all, [side]: false }) },
    {
      fired: times(needed - 1, 'worker.question-durable', { with: false, without: false, killed: false, [side]: true }),
    },
  ];
  expect(rarelyPassed([...others, ...asked])).toEqual([{ name: 'worker.question-durable', side, times: needed - 1 }]);
});
