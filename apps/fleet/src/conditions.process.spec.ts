import { defaultTuning, type DriverWorker, type Trouble } from '@pilothouse/core';
import { Conditions } from './conditions.ts';
import { Lines } from './testing/lines.fixture.ts';
import { MemoryFleet } from './testing/memory-fleet.fixture.ts';

let fleet: MemoryFleet;
let told: string[];
let conditions: Conditions;
let lines: Lines;
beforeEach(async () => {
  fleet = await MemoryFleet.open();
  told = [];
  lines = new Lines();
  const driver = {
    tell: (name: string, { reason, message }: Trouble) => void told.push(`${name} ${reason} ${message}`),
  };
  conditions = new Conditions({ state: fleet, driver, tuning: defaultTuning });
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
    await conditions.keep(facts, { signal: new AbortController().signal, deadline: Infinity, log: lines });
  }
};

test('what is wrong with a worker counts once, and is new once', async () => {
  expect(conditions.standing('browser', [made('a', 'no room'), made('b', 'no room')])).toEqual([
    { reason: 'Unschedulable', message: 'a: no room', worker: 'a' },
    { reason: 'Unschedulable', message: 'b: no room', worker: 'b' },
  ]);
  await keep();
  expect(fleet.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'b: no room', count: 2 }]);
  expect(conditions.standing('browser', [made('a', 'no room'), made('b', 'no room')])).toEqual([]);
  await keep();
  expect(fleet.conditions).toMatchObject([{ count: 2 }]);
  expect(told).toEqual(['browser Unschedulable a: no room', 'browser Unschedulable b: no room']);
  // Over, and wrong again: that is new.
  expect(conditions.standing('browser', [made('a', null)])).toEqual([]);
  expect(conditions.standing('browser', [made('a', 'no room')])).toHaveLength(1);
});

test('fleets are kept apart', () => {
  const other = made('x', 'no room', { fleet: 'other' });
  expect(conditions.standing('browser', [other])).toEqual([]);
  expect(conditions.standing('other', [other])).toHaveLength(1);
  expect(conditions.standing('browser', [])).toEqual([]);
  expect(conditions.standing('other', [other])).toEqual([]);
});

test('what is still so is written down again every few seconds, not at every look', async () => {
  conditions.standing('browser', [made('a', 'no room')]);
  await keep();
  const seenAt = fleet.conditions[0]?.lastSeenAt;
  conditions.standing('browser', [made('a', 'no room')]);
  await keep();
  expect(fleet.conditions[0]?.lastSeenAt).toBe(seenAt);
  fleet.conditions = fleet.conditions.map((one) => ({ ...one, lastSeenAt: one.lastSeenAt - 5_000 }));
  conditions.standing('browser', [made('a', 'still no room')]);
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
  conditions.standing('browser', [made('a', 'no room')]);
  await keep();
  expect(fleet.conditions).toMatchObject([{ reason: 'Unschedulable', message: 'a: no room' }]);
});

test('what could not be kept is kept later', async () => {
  const note = fleet.noteConditions.bind(fleet);
  fleet.noteConditions = () => Promise.reject(new Error('the database is away'));
  conditions.happened('browser', { reason: 'QuotaExceeded', message: 'pods=0' });
  await keep();
  expect(lines.find('could not be kept')).toMatchObject({ level: 'warn' });
  fleet.noteConditions = note;
  await keep();
  expect(fleet.conditions).toMatchObject([{ reason: 'QuotaExceeded', message: 'pods=0', count: 1 }]);
});
