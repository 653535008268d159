import {
  longestBackoff,
  NO_BACKOFF,
  expireFailures,
  recordCreationFailure,
  type BackoffState,
} from './creation-backoff.ts';
import type { CreateReason, ScalingAction, HeldCreation, HoldReason, StopReason } from '../ports/fleet-driver.port.ts';
import { type FleetObservation, type ScalingTuning, type ScalingWorker, defaultTuning } from './scaling-observation.ts';

/** Actions, the new backoff state, and demand that is held back. */
export interface ScalingResult {
  readonly decisions: readonly ScalingAction[];
  readonly next: BackoffState;
  readonly heldCreation: HeldCreation | null;
}

/**
 * Decides how to scale one fleet. Level-based: the result depends only on the current observation and backoff state.
 *  - Wanted free slots: one per queued run, plus `idleSlots`.
 *  - Slots of starting workers count as free, so a burst is answered once.
 *  - `maxWorkers` limits all existing managed workers, including those that start, drain or are out of touch.
 *  - `minWorkers` counts managed workers that start or are ready. With `minWorkers` and `idleSlots` 0 an idle fleet scales to zero.
 *  - Only idle workers are drained: after the cooldown, and while the remaining ready workers cover the demand.
 *  - Idle workers of an outdated template are replaced. They count neither for `minWorkers` nor as warm. They drain once ready
 * workers of the new template cover for them, or one by one if `maxWorkers` leaves no room.
 *  - During creation backoff outdated workers stay: a template that does not start removes no working capacity.
 *  - Starting workers of an outdated template are stopped. A busy one drains after its run. Until then it may count as capacity,
 * but causes no new worker to be stopped. Otherwise workers would be created and stopped repeatedly.
 *  - A starting worker that is no longer needed is stopped after the cooldown, or immediately if `maxWorkers` was lowered.
 *  - A worker with a run is never drained or stopped.
 *  - A cordoned worker counts only for `maxWorkers`: others replace it, and it stays until it is out of touch.
 * @param now milliseconds since 1970, by the clock of the observation
 */
export function decideScaling(
  observation: FleetObservation,
  now: number,
  backoff: BackoffState = NO_BACKOFF,
  tuning: ScalingTuning = defaultTuning,
): ScalingResult {
  const { config, workers } = observation;
  const overdueStops = stopOverdueWorkers(workers, now, tuning);
  const stoppedNames = new Set(overdueStops.map(({ worker }) => worker));
  const stops = [...overdueStops, ...stopOutdatedStarts(observation).filter(({ worker }) => !stoppedNames.has(worker))];
  for (const { worker } of stops) stoppedNames.add(worker);
  for (const stop of stopUnneededStarts(observation, now, stoppedNames)) {
    stops.push(stop);
    stoppedNames.add(stop.worker);
  }

  let next = expireFailures(backoff, workers, now, tuning);
  const stuckNames = stops.filter(({ reason }) => reason === 'start-timeout').map(({ worker }) => worker);
  if (stuckNames.length > 0) {
    const message = `${stuckNames.join(', ')} not ready ${tuning.startDeadlineMs / 1000} s after the start`;
    next = recordCreationFailure(next, 'StartTimeout', message, now, tuning);
  }

  const drains = drainable(observation, now, stoppedNames, longestBackoff(next, now) !== null);
  const demandByReason = requiredWorkers(observation, stoppedNames);
  const room = Math.max(0, config.maxWorkers - workers.filter(({ managed }) => managed).length);
  const limit: [number, HoldReason] = config.paused
    ? [0, 'paused']
    : longestBackoff(next, now)
      ? [0, 'backoff']
      : [room, 'at-max'];
  const { creates, heldCreation } = limitCreations(demandByReason, ...limit);
  return { decisions: [...stops, ...drains, ...creates], next, heldCreation };
}

type Stop = Extract<ScalingAction, { action: 'stop' }>;
type Drain = Extract<ScalingAction, { action: 'drain' }>;
type Create = Extract<ScalingAction, { action: 'create' }>;

const freeSlots = ({ slots, busy }: ScalingWorker) => Math.max(0, slots - busy);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Stops managed workers without a run that exceed the deadline of their state. */
function stopOverdueWorkers(workers: readonly ScalingWorker[], now: number, tuning: ScalingTuning): Stop[] {
  const deadlines: Partial<Record<ScalingWorker['state'], [number, StopReason]>> = {
    starting: [tuning.startDeadlineMs, 'start-timeout'],
    draining: [tuning.drainDeadlineMs, 'drain-timeout'],
    disconnected: [tuning.disconnectedDeadlineMs, 'out-of-touch'],
  };
  return workers.flatMap((worker): Stop[] => {
    const [deadline, reason] = deadlines[worker.state] ?? [];
    if (!worker.managed || worker.busy > 0 || deadline === undefined || reason === undefined) return [];
    const isOverdue = now - (worker.stateSince ?? worker.startedAt) > deadline;
    return isOverdue ? [{ action: 'stop', worker: worker.name, reason }] : [];
  });
}

/** True if a worker was created from an outdated template. */
const isOld = ({ template }: FleetObservation, worker: ScalingWorker) =>
  worker.managed && template !== undefined && worker.template !== template;

/** Stops workers that start from an outdated template. New workers replace them. */
function stopOutdatedStarts(observation: FleetObservation): Stop[] {
  return observation.workers
    .filter((worker) => worker.state === 'starting' && worker.busy === 0 && isOld(observation, worker))
    .map(({ name }) => ({ action: 'stop', worker: name, reason: 'old-template' }));
}

/** Stops starting workers that are no longer needed, the newest first. */
function stopUnneededStarts(observation: FleetObservation, now: number, stoppedNames: ReadonlySet<string>): Stop[] {
  const { config } = observation;
  const { alive, staying, waiting, warm } = capacityOf(observation, stoppedNames);
  const isCurrent = (worker: ScalingWorker) => !isOld(observation, worker);
  let free = sum(alive.filter(isCurrent).map(freeSlots));
  let count = staying.length;
  let currentCount = staying.filter(isCurrent).length;
  const oldFirst = (a: ScalingWorker, b: ScalingWorker) => a.startedAt - b.startedAt || (a.name < b.name ? -1 : 1);
  const starting = staying.filter(({ state, busy }) => state === 'starting' && busy === 0).sort(oldFirst);
  return starting.reverse().flatMap((worker): Stop[] => {
    const isCold = now - worker.startedAt >= config.cooldownSeconds * 1000;
    const isCovered = currentCount > config.minWorkers && free - freeSlots(worker) >= waiting + warm;
    if (!(isCovered && isCold) && count <= config.maxWorkers) return [];
    count -= 1;
    currentCount -= 1;
    free -= freeSlots(worker);
    return [{ action: 'stop', worker: worker.name, reason: 'not-needed' }];
  });
}

/** Wanted free slots: for queued runs, and `idleSlots`. */
function demand({ config, waiting }: FleetObservation): { waiting: number; warm: number } {
  return config.paused ? { waiting: 0, warm: 0 } : { waiting, warm: config.idleSlots };
}

/** Available workers, workers that stay, and the number of wanted free slots. */
function capacityOf(observation: FleetObservation, stoppedNames: ReadonlySet<string>) {
  const alive = observation.workers.filter(
    ({ name, state, cordoned }) => (state === 'ready' || state === 'starting') && !cordoned && !stoppedNames.has(name),
  );
  const { waiting, warm } = demand(observation);
  const leaving = new Set(alive.filter((worker) => worker.busy === 0 && isOld(observation, worker)));
  const staying = alive.filter((worker) => worker.managed && !leaving.has(worker));
  // A leaving worker still takes queued runs, but does not count as warm capacity.
  const occupied = Math.max(waiting, sum([...leaving].map(freeSlots)));
  return { alive, staying, waiting, warm, required: warm > 0 ? occupied + warm : waiting };
}

/** Workers to create, reason by reason, before any limit. */
function requiredWorkers(observation: FleetObservation, stoppedNames: ReadonlySet<string>): [CreateReason, number][] {
  const { config } = observation;
  const { alive, staying, waiting, required } = capacityOf(observation, stoppedNames);
  let free = sum(alive.map(freeSlots));
  const addWorkers = (count: number) => {
    free += count * config.slots;
    return count;
  };
  const workersForSlots = (slots: number) => addWorkers(Math.max(0, Math.ceil((slots - free) / config.slots)));
  return [
    ['below-min', addWorkers(Math.max(0, config.minWorkers - staying.length))],
    ['waiting', workersForSlots(waiting)],
    ['idle-target', workersForSlots(required)],
  ];
}

function limitCreations(demandByReason: readonly [CreateReason, number][], limit: number, holdReason: HoldReason) {
  let remaining = limit;
  const creates = demandByReason.flatMap(([reason, count]): Create[] => {
    const allowed = Math.min(count, remaining);
    remaining -= allowed;
    return allowed > 0 ? [{ action: 'create', count: allowed, reason }] : [];
  });
  const missingCount = sum(demandByReason.map(([, count]) => count)) - sum(creates.map(({ count }) => count));
  const heldCreation: HeldCreation | null = missingCount > 0 ? { count: missingCount, reason: holdReason } : null;
  return { creates, heldCreation };
}

/**
 * Idle workers that may be drained: those of an outdated template first, then the longest idle.
 * @param isBackingOff whether creation is backing off
 */
function drainable(
  observation: FleetObservation,
  now: number,
  stoppedNames: ReadonlySet<string>,
  isBackingOff: boolean,
): Drain[] {
  const { config, workers } = observation;
  const managed = workers.filter((worker) => worker.managed);
  const ready = managed.filter(({ state, cordoned }) => state === 'ready' && !cordoned);
  const { waiting, warm } = demand(observation);
  const isOldWorker = (worker: ScalingWorker) => isOld(observation, worker);
  const totalsOf = (workers: readonly ScalingWorker[]) => ({
    free: sum(workers.filter(({ state, cordoned }) => state === 'ready' && !cordoned).map(freeSlots)),
    staying: workers.filter(({ state, managed: isManaged, cordoned }) => state === 'ready' && isManaged && !cordoned)
      .length,
  });
  const allTotals = totalsOf(workers);
  const currentTotals = totalsOf(workers.filter((worker) => !isOldWorker(worker)));
  let surplus =
    managed.filter(({ name, state }) => (state === 'ready' || state === 'starting') && !stoppedNames.has(name)).length -
    config.maxWorkers;
  // If `maxWorkers` leaves no room for the successor, one worker drains first, and the next when none is starting or draining. A worker
  // that drains with a run may take arbitrarily long, so nothing waits for it.
  const isInTransition = ({ state, busy }: ScalingWorker) =>
    state === 'starting' || (state === 'draining' && busy === 0);
  const isFull = managed.length === config.maxWorkers && !managed.some(isInTransition);
  let canDrainFirst = isFull && !isBackingOff && !config.paused;

  const idleSince = (worker: ScalingWorker) => worker.idleSince ?? worker.startedAt;
  const candidates = ready
    .filter(({ busy }) => busy === 0)
    .sort(
      (a, b) =>
        Number(isOldWorker(b)) - Number(isOldWorker(a)) ||
        idleSince(a) - idleSince(b) ||
        (a.name < b.name ? -1 : Number(a.name > b.name)),
    );

  const reasonFor = (worker: ScalingWorker): Drain['reason'] | null => {
    const { staying, free } = isOldWorker(worker) ? allTotals : currentTotals;
    const isCovered = staying > config.minWorkers && free - freeSlots(worker) >= waiting + warm;
    if (surplus > 0 && allTotals.staying > config.minWorkers) return 'above-max';
    if (isCovered && now - idleSince(worker) >= config.cooldownSeconds * 1000) return 'cooldown';
    if (!isOldWorker(worker)) return null;
    if (isCovered) return 'old-template';
    return canDrainFirst ? 'old-template' : null;
  };
  return candidates.flatMap((worker): Drain[] => {
    const reason = reasonFor(worker);
    if (reason === null) return [];
    // Every drained worker makes room.
    canDrainFirst = false;
    surplus -= 1;
    for (const totals of isOldWorker(worker) ? [allTotals] : [allTotals, currentTotals]) {
      totals.staying -= 1;
      totals.free -= freeSlots(worker);
    }
    return [{ action: 'drain', worker: worker.name, reason }];
  });
}
