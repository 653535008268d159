import type { DriverWorker } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot, FleetWorkerState } from '@pilothouse/core/ports/fleet-state.port';
import { buildObservation } from './fleet-observation.ts';

const observedAt = 1_800_000_000_000;
// The clock of the controller is ten seconds behind that of the store.
const now = observedAt - 10_000;

const aDriverWorker = (name: string, fields: Partial<DriverWorker> = {}): DriverWorker => ({
  name,
  fleet: 'browser',
  state: 'running',
  startedAt: now - 5_000,
  ...fields,
});
const memberWorker = (name: string, fields: Partial<FleetWorkerState> = {}): FleetWorkerState => ({
  id: name,
  name,
  state: 'ready',
  slots: 2,
  busy: 0,
  idleSince: observedAt - 1_000,
  startedAt: observedAt - 4_000,
  lastSeenAt: observedAt - 500,
  drainingSince: null,
  ...fields,
});
const observe = (workers: FleetWorkerState[], driverWorkers: DriverWorker[], exitedNames: string[] = []) => {
  const config = { minWorkers: 0, maxWorkers: 2, idleSlots: 0, slots: 3, cooldownSeconds: 0, paused: false };
  const facts: FleetSnapshot = {
    fleet: 'browser',
    surface: 'browser',
    config,
    waiting: 1,
    workers,
    conditions: [],
    observedAt,
  };
  return buildObservation(facts, driverWorkers, new Set(exitedNames), now).workers;
};

test('a worker that the store does not know is starting, with its future slots, by the clock of the store', () => {
  expect(observe([], [aDriverWorker('a')])).toEqual([
    {
      name: 'a',
      state: 'starting',
      slots: 3,
      busy: 0,
      idleSince: null,
      stateSince: null,
      startedAt: observedAt - 5_000,
      managed: true,
    },
  ]);
});

test('a ready worker has the state of the store and is managed if the driver created it', () => {
  expect(
    observe([memberWorker('a', { busy: 1, idleSince: null }), memberWorker('x')], [aDriverWorker('a')]),
  ).toMatchObject([
    { name: 'a', state: 'ready', slots: 2, busy: 1, managed: true },
    { name: 'x', state: 'ready', managed: false },
  ]);
});

test('draining, unreachable and stopping workers', () => {
  const workers = [
    memberWorker('a', { drainingSince: observedAt - 9 }),
    memberWorker('b', { state: 'disconnected', lastSeenAt: observedAt - 7 }),
    memberWorker('c', { busy: 1 }),
  ];
  expect(
    observe(workers, [aDriverWorker('a'), aDriverWorker('b'), aDriverWorker('c', { state: 'stopping' })]),
  ).toMatchObject([
    { name: 'a', state: 'draining', stateSince: observedAt - 9 },
    { name: 'b', state: 'disconnected', stateSince: observedAt - 7 },
    { name: 'c', state: 'draining', stateSince: observedAt, busy: 1 },
  ]);
});

test('exited workers, unmanaged disconnected workers and other fleets are left out', () => {
  const workers = [memberWorker('dead'), memberWorker('old', { state: 'disconnected' })];
  expect(observe(workers, [aDriverWorker('desktops-a', { fleet: 'desktops' })], ['dead'])).toEqual([]);
});

test('the newest worker of a name counts', () => {
  const workers = [
    memberWorker('a', { state: 'ready' }),
    memberWorker('a', { state: 'disconnected', lastSeenAt: observedAt - 9_000 }),
  ];
  expect(observe(workers, [aDriverWorker('a')])).toMatchObject([{ state: 'ready' }]);
});
