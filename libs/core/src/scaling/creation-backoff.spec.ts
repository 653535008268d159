import type { FleetWorkerState } from '../ports/fleet-state.port.ts';
import { clearedConditions } from './creation-backoff.ts';
import { defaultTuning } from './scaling-observation.ts';

const now = 1_800_000_000_000;
const ago = (seconds: number) => now - seconds * 1000;
const workerOfAge = (seconds: number, state: FleetWorkerState['state'] = 'ready'): FleetWorkerState => ({
  id: `w${seconds}`,
  name: `w${seconds}`,
  state,
  slots: 2,
  busy: 0,
  idleSince: now,
  startedAt: ago(seconds),
  lastSeenAt: now,
  drainingSince: null,
});

test.each([
  ['no worker joined since', 100, [], false],
  ['one joined before', 100, [workerOfAge(101)], false],
  ['one joined after, and is stable', 100, [workerOfAge(50)], true],
  ['one joined after, and is young', 100, [workerOfAge(14)], false],
  ['one joined after and is disconnected', 100, [workerOfAge(50, 'disconnected')], false],
  ['it is long ago', 600, [], true],
  ['it is not yet long ago', 599, [], false],
])('a condition last seen before: %s', (_, seconds, workers, isCleared) => {
  const condition = { reason: 'Unschedulable' as const, message: 'no room', lastSeenAt: ago(seconds) };
  expect(clearedConditions([condition], workers, now, defaultTuning)).toEqual(isCleared ? ['Unschedulable'] : []);
});
