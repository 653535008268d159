import { failpoints, placeOf, type Failpoint } from '@pilothouse/infra-fault';
import type { RunFacts } from '../check/facts.ts';
import { firedIn } from '../house/fired.ts';
import { passageOf, PASSAGES, passages, seldomPassed, type Passage } from './passages.ts';

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
  expect(passed(`failpoint gateway.claimed:3=pause/20 ${of}`)).toEqual([{ failpoint: 'gateway.claimed', ...is }]);
});

const names = Object.keys(failpoints) as Failpoint[];
const times = (count: number, failpoint: string, sides: Omit<Passage, 'failpoint'>): Passage[] =>
  Array.from({ length: count }, () => ({ failpoint, ...sides }));

test('each failpoint is to be passed often enough on either side, but where a takeover is part of it', () => {
  expect(seldomPassed([])).toHaveLength(names.length * 2 - 1);
  const enough = names.map((name) => ({ fired: times(PASSAGES, name, { with: true, without: true }) }));
  expect(seldomPassed(enough)).toEqual([]);
  const taken = names.map((name) => ({ fired: times(PASSAGES, name, { with: true, without: false }) }));
  expect(seldomPassed(taken)).toHaveLength(names.length - 1);
  const restored = passages(taken)['worker.restored'];
  expect(restored).toEqual({ with: PASSAGES, without: 0 });
  expect(placeOf('worker.restored').onlyTakenOver).toMatch(/^[A-Z].*\.$/);
  const less = [{ fired: times(PASSAGES - 1, 'worker.asked', { with: true, without: true }) }];
  expect(seldomPassed([...less, ...enough.filter(({ fired }) => fired[0]?.failpoint !== 'worker.asked')])).toEqual([
    { name: 'worker.asked', side: 'with', times: PASSAGES - 1 },
    { name: 'worker.asked', side: 'without', times: PASSAGES - 1 },
  ]);
});
