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
  readonly held: HeldCreation | null;
}

/**
 * Decides how to scale one fleet. Level-based: the result depends only on the current observation and backoff state.
 * - Wanted free slots: one per queued run, plus `idleSlots`.
 * - Slots of starting workers count as free, so a burst is answered once.
 * - `maxWorkers` limits all existing managed workers, including those that start, drain or are out of touch.
 * - `minWorkers` counts managed workers that start or are ready. With `minWorkers` and `idleSlots` 0 an idle fleet scales to zero.
 * - Only idle workers are drained: after the cooldown, and while the remaining ready workers cover the demand.
 * - Idle workers of an outdated template are replaced. They count neither for `minWorkers` nor as warm, and drain once ready workers of the
 *   new template cover for them, or one by one if `maxWorkers` leaves no room. During creation backoff they stay: a template that does not
 *   start removes no working capacity. Starting workers of an outdated template are stopped. A busy one drains after its run; until then it
 *   may count as capacity, but never makes a new worker superfluous, whose repeated creation and removal it would otherwise cause.
 * - A starting worker that is no longer needed is stopped after the cooldown, or immediately if `maxWorkers` was lowered.
 * - A worker with a run is never drained or stopped.
 * - A cordoned worker counts only for `maxWorkers`: others replace it, and it stays until it is out of touch.
 * @param now milliseconds since 1970, by the clock of the observation
 */
export function decideScaling(
  observation: FleetObservation,
  now: number,
  memory: BackoffState = NO_BACKOFF,
  tuning: ScalingTuning = defaultTuning,
): ScalingResult {
  const { config, workers } = observation;
  const late = overdue(workers, now, tuning);
  const stopped = new Set(late.map(({ worker }) => worker));
  const stops = [...late, ...superseded(observation).filter(({ worker }) => !stopped.has(worker))];
  for (const { worker } of stops) stopped.add(worker);
  for (const stop of unneeded(observation, now, stopped)) {
    stops.push(stop);
    stopped.add(stop.worker);
  }

  let next = expireFailures(memory, workers, now, tuning);
  const stuck = stops.filter(({ reason }) => reason === 'start-timeout').map(({ worker }) => worker);
  if (stuck.length > 0) {
    const message = `${stuck.join(', ')} not ready ${tuning.startDeadlineMs / 1000} s after the start`;
    next = recordCreationFailure(next, 'StartTimeout', message, now, tuning);
  }

  const drains = drainable(observation, now, stopped, longestBackoff(next, now) !== null);
  const wants = wanted(observation, stopped);
  const room = Math.max(0, config.maxWorkers - workers.filter(({ managed }) => managed).length);
  const limit: [number, HoldReason] = config.paused
    ? [0, 'paused']
    : longestBackoff(next, now)
      ? [0, 'backoff']
      : [room, 'at-max'];
  const { creates, held } = clip(wants, ...limit);
  return { decisions: [...stops, ...drains, ...creates], next, held };
}

type Stop = Extract<ScalingAction, { action: 'stop' }>;
type Drain = Extract<ScalingAction, { action: 'drain' }>;
type Create = Extract<ScalingAction, { action: 'create' }>;

const freeSlots = ({ slots, busy }: ScalingWorker) => Math.max(0, slots - busy);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Managed workers without a run that are in a state for longer than they may. */
function overdue(workers: readonly ScalingWorker[], now: number, tuning: ScalingTuning): Stop[] {
  const deadlines: Partial<Record<ScalingWorker['state'], [number, StopReason]>> = {
    starting: [tuning.startDeadlineMs, 'start-timeout'],
    draining: [tuning.drainDeadlineMs, 'drain-timeout'],
    disconnected: [tuning.disconnectedDeadlineMs, 'out-of-touch'],
  };
  return workers.flatMap((worker): Stop[] => {
    const [deadline, reason] = deadlines[worker.state] ?? [];
    if (!worker.managed || worker.busy > 0 || deadline === undefined || reason === undefined) return [];
    const overdue = now - (worker.since ?? worker.startedAt) > deadline;
    return overdue ? [{ action: 'stop', worker: worker.name, reason }] : [];
  });
}

/** Whether a worker was created from an outdated template. */
const isOld = ({ template }: FleetObservation, worker: ScalingWorker) =>
  worker.managed && template !== undefined && worker.template !== template;

/** Workers that start from an old template: those made now take their place. */
function superseded(observation: FleetObservation): Stop[] {
  return observation.workers
    .filter((worker) => worker.state === 'starting' && worker.busy === 0 && isOld(observation, worker))
    .map(({ name }) => ({ action: 'stop', worker: name, reason: 'old-template' }));
}

/** Workers that start and that nothing wants any more, the youngest first. */
function unneeded(observation: FleetObservation, now: number, stopped: ReadonlySet<string>): Stop[] {
  const { config } = observation;
  const { alive, staying, waiting, warm } = covering(observation, stopped);
  const young = (worker: ScalingWorker) => !isOld(observation, worker);
  let free = sum(alive.filter(young).map(freeSlots));
  let count = staying.length;
  let kept = staying.filter(young).length;
  const oldFirst = (a: ScalingWorker, b: ScalingWorker) => a.startedAt - b.startedAt || (a.name < b.name ? -1 : 1);
  const starting = staying.filter(({ state, busy }) => state === 'starting' && busy === 0).sort(oldFirst);
  return starting.reverse().flatMap((worker): Stop[] => {
    const isCold = now - worker.startedAt >= config.cooldownSeconds * 1000;
    const isCovered = kept > config.minWorkers && free - freeSlots(worker) >= waiting + warm;
    if (!(isCovered && isCold) && count <= config.maxWorkers) return [];
    count -= 1;
    kept -= 1;
    free -= freeSlots(worker);
    return [{ action: 'stop', worker: worker.name, reason: 'not-needed' }];
  });
}

/** Wanted free slots: for queued runs, and `idleSlots`. */
function demand({ config, waiting }: FleetObservation): { waiting: number; warm: number } {
  return config.paused ? { waiting: 0, warm: 0 } : { waiting, warm: config.idleSlots };
}

/** Available workers, workers that stay, and the number of wanted free slots. */
function covering(observation: FleetObservation, stopped: ReadonlySet<string>) {
  const alive = observation.workers.filter(
    ({ name, state, cordoned }) => (state === 'ready' || state === 'starting') && !cordoned && !stopped.has(name),
  );
  const { waiting, warm } = demand(observation);
  const leaving = new Set(alive.filter((worker) => worker.busy === 0 && isOld(observation, worker)));
  const staying = alive.filter((worker) => worker.managed && !leaving.has(worker));
  // A leaving worker still takes queued runs, but does not count as warm capacity.
  const taken = Math.max(waiting, sum([...leaving].map(freeSlots)));
  return { alive, staying, waiting, warm, required: warm > 0 ? taken + warm : waiting };
}

/** Workers to create, reason by reason, before any limit. */
function wanted(observation: FleetObservation, stopped: ReadonlySet<string>): [CreateReason, number][] {
  const { config } = observation;
  const { alive, staying, waiting, required } = covering(observation, stopped);
  let free = sum(alive.map(freeSlots));
  const take = (count: number) => {
    free += count * config.slots;
    return count;
  };
  const forSlots = (slots: number) => take(Math.max(0, Math.ceil((slots - free) / config.slots)));
  return [
    ['below-min', take(Math.max(0, config.minWorkers - staying.length))],
    ['waiting', forSlots(waiting)],
    ['idle-target', forSlots(required)],
  ];
}

function clip(wants: readonly [CreateReason, number][], limit: number, why: HoldReason) {
  let left = limit;
  const creates = wants.flatMap(([reason, count]): Create[] => {
    const granted = Math.min(count, left);
    left -= granted;
    return granted > 0 ? [{ action: 'create', count: granted, reason }] : [];
  });
  const missing = sum(wants.map(([, count]) => count)) - sum(creates.map(({ count }) => count));
  const held: HeldCreation | null = missing > 0 ? { count: missing, reason: why } : null;
  return { creates, held };
}

/**
 * Idle workers that may be drained: those of an outdated template first, then the longest idle.
 * @param backsOff whether creation is backing off
 */
function drainable(
  observation: FleetObservation,
  now: number,
  stopped: ReadonlySet<string>,
  backsOff: boolean,
): Drain[] {
  const { config, workers } = observation;
  const managed = workers.filter((worker) => worker.managed);
  const ready = managed.filter(({ state, cordoned }) => state === 'ready' && !cordoned);
  const { waiting, warm } = demand(observation);
  const old = (worker: ScalingWorker) => isOld(observation, worker);
  const tally = (of: readonly ScalingWorker[]) => ({
    free: sum(of.filter(({ state, cordoned }) => state === 'ready' && !cordoned).map(freeSlots)),
    staying: of.filter(({ state, managed: ours, cordoned }) => state === 'ready' && ours && !cordoned).length,
  });
  const all = tally(workers);
  const young = tally(workers.filter((worker) => !old(worker)));
  let surplus =
    managed.filter(({ name, state }) => (state === 'ready' || state === 'starting') && !stopped.has(name)).length -
    config.maxWorkers;
  // If `maxWorkers` leaves no room for the successor, one worker drains first, and the next when none is starting or draining. A worker
  // that drains with a run may take arbitrarily long, so nothing waits for it.
  const isUnderWay = ({ state, busy }: ScalingWorker) => state === 'starting' || (state === 'draining' && busy === 0);
  const full = managed.length === config.maxWorkers && !managed.some(isUnderWay);
  let mayGoAhead = full && !backsOff && !config.paused;

  const idleSince = (worker: ScalingWorker) => worker.idleSince ?? worker.startedAt;
  const candidates = ready
    .filter(({ busy }) => busy === 0)
    .sort(
      (a, b) =>
        Number(old(b)) - Number(old(a)) ||
        idleSince(a) - idleSince(b) ||
        (a.name < b.name ? -1 : Number(a.name > b.name)),
    );

  const reasonFor = (worker: ScalingWorker): Drain['reason'] | null => {
    const { staying, free } = old(worker) ? all : young;
    const covered = staying > config.minWorkers && free - freeSlots(worker) >= waiting + warm;
    if (surplus > 0 && all.staying > config.minWorkers) return 'above-max';
    if (covered && now - idleSince(worker) >= config.cooldownSeconds * 1000) return 'cooldown';
    if (!old(worker)) return null;
    if (covered) return 'old-template';
    return mayGoAhead ? 'old-template' : null;
  };
  return candidates.flatMap((worker): Drain[] => {
    const reason = reasonFor(worker);
    if (reason === null) return [];
    // Every drained worker makes room.
    mayGoAhead = false;
    surplus -= 1;
    for (const one of old(worker) ? [all] : [all, young]) {
      one.staying -= 1;
      one.free -= freeSlots(worker);
    }
    return [{ action: 'drain', worker: worker.name, reason }];
  });
}
