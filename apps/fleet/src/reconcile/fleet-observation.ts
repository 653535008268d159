import type { DriverWorker, FleetSnapshot, FleetObservation, FleetWorkerState, ScalingWorker } from '@pilothouse/core';

/**
 * What the store and the driver know of one fleet, as one observation, by the clock of the store. The driver knows best
 * what exists, the store what it is at.
 * @param ended names of workers that the driver saw end: the store may not know yet
 * @param template what new workers are made from, where the driver knows
 * @param now clock of the controller when the facts were read, in milliseconds since 1970
 */
export function buildObservation(
  facts: FleetSnapshot,
  made: readonly DriverWorker[],
  ended: Pick<ReadonlySet<string>, 'has'>,
  now: number,
  template?: string,
): FleetObservation {
  const known = newestByName(facts.workers);
  const own = made.filter(({ fleet }) => fleet === facts.fleet);
  const ownNames = new Set(made.map(({ name }) => name));
  const joined = [...known.values()].filter(
    ({ name, state }) => state !== 'gone' && !ownNames.has(name) && !ended.has(name),
  );
  return {
    config: facts.config,
    waiting: facts.waiting,
    template,
    workers: [
      ...own.map((worker) => managed(worker, known.get(worker.name), facts, now)),
      ...joined.map((worker): ScalingWorker => ({ ...workerFacts(worker), managed: false })),
    ],
  };
}

function newestByName(workers: readonly FleetWorkerState[]): Map<string, FleetWorkerState> {
  return new Map([...workers].sort((a, b) => a.lastSeenAt - b.lastSeenAt).map((worker) => [worker.name, worker]));
}

function workerFacts(facts: FleetWorkerState) {
  const { name, state, slots, busy, idleSince, startedAt, lastSeenAt, drainingSince, cordoned = false } = facts;
  const draining = drainingSince !== null || state === 'draining';
  const since = draining ? drainingSince : state === 'gone' ? lastSeenAt : null;
  return { name, state: draining ? ('draining' as const) : state, slots, busy, idleSince, startedAt, since, cordoned };
}

function managed(
  { name, state, startedAt: started, template }: DriverWorker,
  known: FleetWorkerState | undefined,
  { config, observedAt }: FleetSnapshot,
  now: number,
): ScalingWorker {
  const startedAt = started + observedAt - now;
  const seen = known
    ? workerFacts(known)
    : { name, state: 'starting' as const, slots: config.slots, busy: 0, idleSince: null, since: null };
  const worker = { ...seen, startedAt, managed: true, template };
  // Told to end: the driver sees to it within its own grace, and nothing is left to decide.
  return state === 'stopping' ? { ...worker, state: 'draining', since: observedAt } : worker;
}
