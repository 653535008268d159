import type { DriverWorker } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot, FleetWorkerState } from '@pilothouse/core/ports/fleet-state.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { ColdStartTracker } from './cold-start.metrics.ts';

const start = 1_800_000_000_000;
let now = start;
const clock: Clock = { now: () => new Date(now), monotonic: () => now };

let reports: [string, number][];
const metrics = {
  onColdStart: (_: string, ms: number) => void reports.push(['whole', ms]),
  onColdStartStage: (_: string, stage: string, ms: number) => void reports.push([stage, ms]),
};
beforeEach(() => {
  now = start;
  reports = [];
});

const aDriverWorker = (progress?: DriverWorker['progress']): DriverWorker => ({
  name: 'w',
  fleet: 'browser',
  state: 'running',
  startedAt: start,
  progress,
});
// The clock of the store is an hour ahead.
const aSnapshot = (storeState?: Partial<FleetWorkerState>): FleetSnapshot => ({
  fleet: 'browser',
  surface: 'browser',
  config: { minWorkers: 0, maxWorkers: 2, idleSlots: 0, slots: 2, cooldownSeconds: 0, paused: false },
  waiting: 0,
  conditions: [],
  observedAt: now + 3_600_000,
  workers: storeState ? [{ ...worker, ...storeState }] : [],
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

test('each start stage of a pod is measured once', () => {
  const starts = new ColdStartTracker(clock, metrics);
  now = start + 100;
  starts.onCreated('browser', 'w', start);
  const progress = { createdAt: start + 50, scheduledAt: start + 1_000, startedAt: start + 3_000 };
  starts.observe(aSnapshot(), [aDriverWorker(progress)], now);
  expect(reports).toEqual([]);
  now = start + 5_000;
  starts.observe(aSnapshot({}), [aDriverWorker(progress)], now);
  const stages = [
    ['created', 50],
    ['scheduled', 950],
    ['started', 2_000],
    ['ready', 1_000],
    ['whole', 4_000],
  ];
  expect(reports).toEqual(stages);
  now = start + 6_000;
  starts.observe(aSnapshot({ busy: 1 }), [aDriverWorker(progress)], now);
  starts.observe(aSnapshot({ busy: 1 }), [aDriverWorker(progress)], now);
  expect(reports).toEqual([...stages, ['first-run', 2_000]]);
});

test('only known stages of a process are measured', () => {
  const starts = new ColdStartTracker(clock, metrics);
  now = start + 100;
  starts.onCreated('browser', 'w', start);
  now = start + 5_000;
  starts.observe(aSnapshot({}), [aDriverWorker()], now);
  expect(reports).toEqual([
    ['created', 100],
    ['ready', 3_900],
    ['whole', 4_000],
  ]);
});

test('workers of another controller and exited workers are not measured', () => {
  const starts = new ColdStartTracker(clock, metrics);
  starts.onCreated('browser', 'w', start);
  starts.onExit('w');
  now = start + 5_000;
  starts.observe(aSnapshot({}), [aDriverWorker()], now);
  expect(reports).toEqual([]);
});
