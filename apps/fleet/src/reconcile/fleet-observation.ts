import type { DriverWorker } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot, FleetWorkerState } from '@pilothouse/core/ports/fleet-state.port';
import type { FleetObservation, ScalingWorker } from '@pilothouse/core/scaling/scaling-observation';

/**
 * Merges the store's snapshot and the driver's workers of one fleet into one observation, by the clock of the store. The driver is
 * authoritative for existence, the store for state.
 * @param exitedNames workers whose exit the driver reported; the store may not know it yet
 * @param template hash of the template of new workers, if the driver has one
 * @param now clock of the controller when the snapshot was read, in milliseconds since 1970
 */
export function buildObservation(
  facts: FleetSnapshot,
  driverWorkers: readonly DriverWorker[],
  exitedNames: Pick<ReadonlySet<string>, 'has'>,
  now: number,
  template?: string,
): FleetObservation {
  const storeWorkers = newestByName(facts.workers);
  const fleetWorkers = driverWorkers.filter(({ fleet }) => fleet === facts.fleet);
  const driverNames = new Set(driverWorkers.map(({ name }) => name));
  const joinedWorkers = [...storeWorkers.values()].filter(
    ({ name, state }) => state !== 'disconnected' && !driverNames.has(name) && !exitedNames.has(name),
  );
  return {
    config: facts.config,
    waiting: facts.waiting,
    template,
    workers: [
      ...fleetWorkers.map((worker) => managedWorker(worker, storeWorkers.get(worker.name), facts, now)),
      ...joinedWorkers.map((worker): ScalingWorker => ({ ...workerFacts(worker), managed: false })),
    ],
  };
}

function newestByName(workers: readonly FleetWorkerState[]): Map<string, FleetWorkerState> {
  return new Map([...workers].sort((a, b) => a.lastSeenAt - b.lastSeenAt).map((worker) => [worker.name, worker]));
}

function workerFacts(facts: FleetWorkerState) {
  const { name, state, slots, busy, idleSince, startedAt, lastSeenAt, drainingSince, cordoned = false } = facts;
  const draining = drainingSince !== null || state === 'draining';
  const stateSince = draining ? drainingSince : state === 'disconnected' ? lastSeenAt : null;
  return {
    name,
    state: draining ? ('draining' as const) : state,
    slots,
    busy,
    idleSince,
    startedAt,
    stateSince,
    cordoned,
  };
}

function managedWorker(
  { name, state, startedAt: driverStartedAt, template }: DriverWorker,
  storeWorkers: FleetWorkerState | undefined,
  { config, observedAt }: FleetSnapshot,
  now: number,
): ScalingWorker {
  const startedAt = driverStartedAt + observedAt - now;
  const storeState = storeWorkers
    ? workerFacts(storeWorkers)
    : { name, state: 'starting' as const, slots: config.slots, busy: 0, idleSince: null, stateSince: null };
  const worker = { ...storeState, startedAt, managed: true, template };
  // The driver stops the worker within its own grace period.
  return state === 'stopping' ? { ...worker, state: 'draining', stateSince: observedAt } : worker;
}
