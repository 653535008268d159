import type { Clock, DriverWorker, FleetSnapshot, FleetWorkerState } from '@pilothouse/core';
import { ColdStartTracker } from './cold-start.metrics.ts';

const start = 1_800_000_000_000;
let now = start;
const clock: Clock = { now: () => new Date(now), monotonic: () => now };

let told: [string, number][];
const metrics = {
  coldStart: (_: string, ms: number) => void told.push(['whole', ms]),
  coldStartStage: (_: string, stage: string, ms: number) => void told.push([stage, ms]),
};
beforeEach(() => {
  now = start;
  told = [];
});

const made = (progress?: DriverWorker['progress']): DriverWorker => ({
  name: 'w',
  fleet: 'browser',
  state: 'running',
  startedAt: start,
  progress,
});
// The clock of the store is an hour ahead.
const facts = (seen?: Partial<FleetWorkerState>): FleetSnapshot => ({
  fleet: 'browser',
  surface: 'browser',
  config: { minWorkers: 0, maxWorkers: 2, idleSlots: 0, slots: 2, cooldownSeconds: 0, paused: false },
  waiting: 0,
  conditions: [],
  observedAt: now + 3_600_000,
  workers: seen ? [{ ...worker, ...seen }] : [],
});
const worker: FleetWorkerState = {
  id: 'w',
  name: 'w',
  state: 'ready',
  slots: 2,
  busy: 0,
  idleSince: null,
  startedAt: start + 3_600_000 + 4_000,
  lastSeenAt: start,
  drainingSince: null,
};

test('the way of a pod, stage by stage, each once', () => {
  const starts = new ColdStartTracker(clock, metrics);
  now = start + 100;
  starts.created('browser', 'w', start);
  const progress = { createdAt: start + 50, scheduledAt: start + 1_000, begunAt: start + 3_000 };
  starts.observe(facts(), [made(progress)], now);
  expect(told).toEqual([]);
  now = start + 5_000;
  starts.observe(facts({}), [made(progress)], now);
  const way = [
    ['created', 50],
    ['scheduled', 950],
    ['begun', 2_000],
    ['ready', 1_000],
    ['whole', 4_000],
  ];
  expect(told).toEqual(way);
  now = start + 6_000;
  starts.observe(facts({ busy: 1 }), [made(progress)], now);
  starts.observe(facts({ busy: 1 }), [made(progress)], now);
  expect(told).toEqual([...way, ['first-run', 2_000]]);
});

test('of a process only what is known is told', () => {
  const starts = new ColdStartTracker(clock, metrics);
  now = start + 100;
  starts.created('browser', 'w', start);
  now = start + 5_000;
  starts.observe(facts({}), [made()], now);
  expect(told).toEqual([
    ['created', 100],
    ['ready', 3_900],
    ['whole', 4_000],
  ]);
});

test('nothing is told of a worker that another controller made, or that ended', () => {
  const starts = new ColdStartTracker(clock, metrics);
  starts.created('browser', 'w', start);
  starts.ended('w');
  now = start + 5_000;
  starts.observe(facts({}), [made()], now);
  expect(told).toEqual([]);
});
