import type { DriverWorker, WorkerIssue } from '@pilothouse/core/ports/fleet-driver.port';
import { defaultTuning } from '@pilothouse/core/scaling/scaling-observation';
import { ConditionRecorder } from './condition-recorder.ts';
import { LogLines } from '../testing/log-lines.fixture.ts';
import { MemoryFleet } from '../testing/memory-fleet.fixture.ts';

let fleet: MemoryFleet;
let reports: string[];
let conditions: ConditionRecorder;
let lines: LogLines;
beforeEach(async () => {
  fleet = await MemoryFleet.open();
  reports = [];
  lines = new LogLines();
  const driver = {
    reportIssue: (name: string, { reason, message }: WorkerIssue) => void reports.push(`${name} ${reason} ${message}`),
  };
  conditions = new ConditionRecorder({ state: fleet, driver, tuning: defaultTuning });
});
afterEach(() => fleet.close());

const aDriverWorker = (name: string, message: string | null, fields: Partial<DriverWorker> = {}): DriverWorker => ({
  name,
  fleet: 'browser',
  state: 'running',
  startedAt: 0,
  ...(message !== null && { issue: { reason: 'Unschedulable', message } }),
  ...fields,
});
const flushAll = async () => {
  for (const facts of await fleet.observe()) {
    await conditions.flush(facts, { signal: new AbortController().signal, deadline: Infinity, log: lines });
  }
};

test('an issue of a worker is counted once and new once', async () => {
  expect(conditions.newProblems('browser', [aDriverWorker('a', 'no room'), aDriverWorker('b', 'no room')])).toEqual([
    { reason: 'Unschedulable', message: 'a: no room', worker: 'a' },
    { reason: 'Unschedulable', message: 'b: no room', worker: 'b' },
  ]);
  await flushAll();
  expect(fleet.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'b: no room', count: 2 }]);
  expect(conditions.newProblems('browser', [aDriverWorker('a', 'no room'), aDriverWorker('b', 'no room')])).toEqual([]);
  await flushAll();
  expect(fleet.conditions).toMatchObject([{ count: 2 }]);
  expect(reports).toEqual(['browser Unschedulable a: no room', 'browser Unschedulable b: no room']);
  // Over, and wrong again: that is new.
  expect(conditions.newProblems('browser', [aDriverWorker('a', null)])).toEqual([]);
  expect(conditions.newProblems('browser', [aDriverWorker('a', 'no room')])).toHaveLength(1);
});

test('conditions of fleets do not mix', () => {
  const otherFleetWorker = aDriverWorker('x', 'no room', { fleet: 'other' });
  expect(conditions.newProblems('browser', [otherFleetWorker])).toEqual([]);
  expect(conditions.newProblems('other', [otherFleetWorker])).toHaveLength(1);
  expect(conditions.newProblems('browser', [])).toEqual([]);
  expect(conditions.newProblems('other', [otherFleetWorker])).toEqual([]);
});

test('a continuing condition is rewritten every few seconds, not in every tick', async () => {
  conditions.newProblems('browser', [aDriverWorker('a', 'no room')]);
  await flushAll();
  const lastSeenAt = fleet.conditions[0]?.lastSeenAt;
  conditions.newProblems('browser', [aDriverWorker('a', 'no room')]);
  await flushAll();
  expect(fleet.conditions[0]?.lastSeenAt).toBe(lastSeenAt);
  fleet.conditions = fleet.conditions.map((condition) => ({ ...condition, lastSeenAt: condition.lastSeenAt - 5_000 }));
  conditions.newProblems('browser', [aDriverWorker('a', 'still no room')]);
  await flushAll();
  expect(fleet.conditions[0]?.lastSeenAt).toBeGreaterThanOrEqual(lastSeenAt ?? Infinity);
  expect(fleet.conditions).toMatchObject([{ message: 'a: still no room', count: 1 }]);
});

test('ended conditions are cleared, continuing ones are not', async () => {
  const long = Date.now() - defaultTuning.forgetMs;
  fleet.conditions = [
    { reason: 'OutOfMemory', message: 'long ago', count: 1, lastSeenAt: long },
    { reason: 'Unschedulable', message: 'since long', count: 1, lastSeenAt: long },
  ];
  conditions.newProblems('browser', [aDriverWorker('a', 'no room')]);
  await flushAll();
  expect(fleet.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'a: no room' }]);
});

test('NodeLost ends when the last pod on a lost node is gone', async () => {
  const issue = { reason: 'NodeLost' as const, message: 'its node does not answer' };
  const onLostNode = (name: string) => aDriverWorker(name, null, { issue, isNodeLost: true });
  const reasons = () => fleet.conditions.map(({ reason }) => reason).sort();
  conditions.newProblems('browser', [onLostNode('a'), onLostNode('b'), aDriverWorker('c', 'no room')]);
  await flushAll();
  expect(reasons()).toEqual(['NodeLost', 'Unschedulable']);
  conditions.newProblems('browser', [onLostNode('b'), aDriverWorker('c', 'no room')]);
  await flushAll();
  expect(reasons()).toEqual(['NodeLost', 'Unschedulable']);
  conditions.newProblems('browser', [aDriverWorker('c', 'no room')]);
  // The end of the pod is reported once.
  conditions.record('browser', { reason: 'NodeLost', message: 'b ended: its node is gone' });
  await flushAll();
  conditions.newProblems('browser', [aDriverWorker('c', 'no room')]);
  await flushAll();
  expect(reasons()).toEqual(['Unschedulable']);
});

test('a failed write is repeated in the next tick', async () => {
  const recordConditions = fleet.recordConditions.bind(fleet);
  fleet.recordConditions = () => Promise.reject(new Error('connection refused'));
  conditions.record('browser', { reason: 'QuotaExceeded', message: 'pods=0' });
  await flushAll();
  expect(lines.find('not stored')).toMatchObject({ level: 'warn' });
  fleet.recordConditions = recordConditions;
  await flushAll();
  expect(fleet.conditions).toMatchObject([{ reason: 'QuotaExceeded', message: 'pods=0', count: 1 }]);
});
