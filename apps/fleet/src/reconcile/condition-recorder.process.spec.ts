import { defaultTuning, type DriverWorker, type WorkerIssue } from '@pilothouse/core';
import { ConditionRecorder } from './condition-recorder.ts';
import { LogLines } from '../testing/log-lines.fixture.ts';
import { MemoryFleet } from '../testing/memory-fleet.fixture.ts';

let fleet: MemoryFleet;
let told: string[];
let conditions: ConditionRecorder;
let lines: LogLines;
beforeEach(async () => {
  fleet = await MemoryFleet.open();
  told = [];
  lines = new LogLines();
  const driver = {
    tell: (name: string, { reason, message }: WorkerIssue) => void told.push(`${name} ${reason} ${message}`),
  };
  conditions = new ConditionRecorder({ state: fleet, driver, tuning: defaultTuning });
});
afterEach(() => fleet.close());

const made = (name: string, message: string | null, more: Partial<DriverWorker> = {}): DriverWorker => ({
  name,
  fleet: 'browser',
  state: 'running',
  startedAt: 0,
  ...(message !== null && { trouble: { reason: 'Unschedulable', message } }),
  ...more,
});
const keep = async () => {
  for (const facts of await fleet.observe()) {
    await conditions.flush(facts, { signal: new AbortController().signal, deadline: Infinity, log: lines });
  }
};

test('what is wrong with a worker counts once, and is new once', async () => {
  expect(conditions.newProblems('browser', [made('a', 'no room'), made('b', 'no room')])).toEqual([
    { reason: 'Unschedulable', message: 'a: no room', worker: 'a' },
    { reason: 'Unschedulable', message: 'b: no room', worker: 'b' },
  ]);
  await keep();
  expect(fleet.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'b: no room', count: 2 }]);
  expect(conditions.newProblems('browser', [made('a', 'no room'), made('b', 'no room')])).toEqual([]);
  await keep();
  expect(fleet.conditions).toMatchObject([{ count: 2 }]);
  expect(told).toEqual(['browser Unschedulable a: no room', 'browser Unschedulable b: no room']);
  // Over, and wrong again: that is new.
  expect(conditions.newProblems('browser', [made('a', null)])).toEqual([]);
  expect(conditions.newProblems('browser', [made('a', 'no room')])).toHaveLength(1);
});

test('fleets are kept apart', () => {
  const other = made('x', 'no room', { fleet: 'other' });
  expect(conditions.newProblems('browser', [other])).toEqual([]);
  expect(conditions.newProblems('other', [other])).toHaveLength(1);
  expect(conditions.newProblems('browser', [])).toEqual([]);
  expect(conditions.newProblems('other', [other])).toEqual([]);
});

test('what is still so is written down again every few seconds, not at every look', async () => {
  conditions.newProblems('browser', [made('a', 'no room')]);
  await keep();
  const seenAt = fleet.conditions[0]?.lastSeenAt;
  conditions.newProblems('browser', [made('a', 'no room')]);
  await keep();
  expect(fleet.conditions[0]?.lastSeenAt).toBe(seenAt);
  fleet.conditions = fleet.conditions.map((one) => ({ ...one, lastSeenAt: one.lastSeenAt - 5_000 }));
  conditions.newProblems('browser', [made('a', 'still no room')]);
  await keep();
  expect(fleet.conditions[0]?.lastSeenAt).toBeGreaterThanOrEqual(seenAt ?? Infinity);
  expect(fleet.conditions).toMatchObject([{ message: 'a: still no room', count: 1 }]);
});

test('what was long ago is forgotten, but not what is still so', async () => {
  const long = Date.now() - defaultTuning.forgetMs;
  fleet.conditions = [
    { reason: 'OutOfMemory', message: 'long ago', count: 1, lastSeenAt: long },
    { reason: 'Unschedulable', message: 'since long', count: 1, lastSeenAt: long },
  ];
  conditions.newProblems('browser', [made('a', 'no room')]);
  await keep();
  expect(fleet.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'a: no room' }]);
});

test('what could not be kept is kept later', async () => {
  const note = fleet.noteConditions.bind(fleet);
  fleet.noteConditions = () => Promise.reject(new Error('the database is away'));
  conditions.record('browser', { reason: 'QuotaExceeded', message: 'pods=0' });
  await keep();
  expect(lines.find('could not be kept')).toMatchObject({ level: 'warn' });
  fleet.noteConditions = note;
  await keep();
  expect(fleet.conditions).toMatchObject([{ reason: 'QuotaExceeded', message: 'pods=0', count: 1 }]);
});
