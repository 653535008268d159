import type { DriverWorker } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot, FleetWorkerState } from '@pilothouse/core/ports/fleet-state.port';
import { evictionProtectionChanges } from './eviction-protection.ts';

const now = 1_800_000_000_000;
const aDriverWorker = (fields: Partial<DriverWorker> = {}): DriverWorker => ({
  name: 'w',
  fleet: 'browser',
  state: 'running',
  startedAt: now - 900_000,
  isEvictionProtected: true,
  ...fields,
});
const facts = (fields: Partial<FleetWorkerState> | null): FleetSnapshot => ({
  fleet: 'browser',
  surface: 'browser',
  config: { minWorkers: 0, maxWorkers: 2, idleSlots: 0, slots: 2, cooldownSeconds: 0, paused: false },
  waiting: 0,
  conditions: [],
  observedAt: now,
  workers: fields === null ? [] : [{ ...worker, ...fields }],
});
const worker: FleetWorkerState = {
  id: 'w',
  name: 'w',
  state: 'ready',
  slots: 2,
  busy: 0,
  idleSince: now - 60_000,
  startedAt: now,
  lastSeenAt: now,
  drainingSince: null,
};

test.each<[string, FleetSnapshot, DriverWorker, boolean[]]>([
  ['idle for a minute', facts({}), aDriverWorker(), [false]],
  ['idle for less', facts({ idleSince: now - 59_000 }), aDriverWorker(), []],
  ['busy again', facts({ busy: 1, idleSince: null }), aDriverWorker({ isEvictionProtected: false }), [true]],
  ['still idle', facts({}), aDriverWorker({ isEvictionProtected: false }), []],
  ['starting', facts(null), aDriverWorker(), []],
  ['out of touch', facts({ state: 'disconnected' }), aDriverWorker({ isEvictionProtected: false }), [true]],
  ['told to end', facts({}), aDriverWorker({ state: 'stopping' }), []],
  ['no machine to guard', facts({}), aDriverWorker({ isEvictionProtected: undefined }), []],
  ['of another fleet', facts({}), aDriverWorker({ fleet: 'other' }), []],
])('a worker that is %s', (_, snapshot, driverWorkers, expected) => {
  expect(evictionProtectionChanges(snapshot, [driverWorkers]).map(({ isProtected }) => isProtected)).toEqual(expected);
});
