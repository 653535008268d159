import type {
  DriverWorker,
  FleetDriver,
  HeldCreation,
  HoldReason,
  ScalingAction,
  WorkerIssue,
} from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot } from '@pilothouse/core/ports/fleet-state.port';
import type { Clock, Context, Log } from '@pilothouse/core/ports/runtime.port';
import { NO_BACKOFF, recordCreationFailure, type BackoffState } from '@pilothouse/core/scaling/creation-backoff';
import { decideScaling } from '@pilothouse/core/scaling/scaling-decision';
import type { FleetObservation, ScalingTuning } from '@pilothouse/core/scaling/scaling-observation';
import type { FleetMetrics } from '../fleet.metrics.ts';
import type { ColdStartTracker } from './cold-start.metrics.ts';
import type { ConditionRecorder } from './condition-recorder.ts';
import { type DecisionExecutor, errorMessage } from './decision-executor.ts';
import { evictionProtectionChanges } from './eviction-protection.ts';
import { buildObservation } from './fleet-observation.ts';
import type { WorkerExits } from './worker-exits.ts';

/** Workers that are drained or stopped at the same time. */
const MAX_CONCURRENT_REMOVALS = 8;

/** Workers that are drained or stopped in one tick. The rest follows in the next tick, before the snapshot is stale. */
const MAX_REMOVALS_PER_TICK = 200;

export interface FleetTick {
  readonly snapshot: FleetSnapshot;
  /** Workers of all fleets that the driver knows. */
  readonly driverWorkers: readonly DriverWorker[];
  /** Clock of the controller when the snapshot was read, in milliseconds since 1970. */
  readonly now: number;
  readonly context: Context;
}

export interface FleetReconcilerDeps {
  readonly driver: FleetDriver;
  readonly log: Log;
  readonly metrics: FleetMetrics;
  readonly clock: Clock;
  readonly tuning: ScalingTuning;
  readonly executor: DecisionExecutor;
  readonly exits: WorkerExits;
  readonly coldStarts: ColdStartTracker;
  readonly conditions: ConditionRecorder;
}

/** Observes one fleet, decides, and acts. Keeps the creation backoff of every fleet between ticks. */
export class FleetReconciler {
  readonly #deps: FleetReconcilerDeps;
  readonly #backoffs = new Map<string, BackoffState>();
  /** Last logged reason, by fleet, for creating fewer workers than needed. */
  readonly #holdReasons = new Map<string, HoldReason>();

  constructor(deps: FleetReconcilerDeps) {
    this.#deps = deps;
  }

  /** @throws the reason of the context's signal once it aborts. Errors of a driver or of single workers are recorded, not thrown */
  async reconcile(tick: FleetTick): Promise<void> {
    const { snapshot, context } = tick;
    const observation = this.#observe(tick);
    this.#recordFailures(tick);
    const actions = this.#decide(snapshot, observation);

    // Removals wait only for responses, so they come first.
    const removals = actions.filter(({ action }) => action !== 'create').slice(0, MAX_REMOVALS_PER_TICK);
    while (removals.length > 0) {
      context.signal.throwIfAborted();
      const batch = removals.splice(0, MAX_CONCURRENT_REMOVALS);
      await Promise.all(batch.map((action) => this.#execute(action, tick)));
    }
    for (const action of actions.filter(({ action }) => action === 'create')) {
      context.signal.throwIfAborted();
      await this.#execute(action, tick);
    }
    await this.#deps.conditions.flush(snapshot, context);
    await this.#maintain(tick);
  }

  #observe({ snapshot, driverWorkers, now }: FleetTick): FleetObservation {
    const { driver, exits, coldStarts } = this.#deps;
    const template = driver.template?.(snapshot.fleet);
    const observation = buildObservation(snapshot, driverWorkers, exits, now, template);
    for (const { name, state, managed } of observation.workers) {
      if (managed && state === 'draining') exits.expect(name);
    }
    coldStarts.observe(snapshot, driverWorkers, now);
    return observation;
  }

  /** Records workers that exited early and workers with new problems. Both hold creation back. */
  #recordFailures({ snapshot: { fleet, observedAt }, driverWorkers, now }: FleetTick): void {
    const { exits, conditions, coldStarts, tuning } = this.#deps;
    for (const { name, description, reason = 'CrashLoop' } of exits.takeFailures(fleet, tuning.stableMs)) {
      const message = `${name} ended: ${description}`;
      // A problem that was reported before the exit is counted already.
      conditions.record(fleet, { reason, message }, conditions.wasReported(fleet, name, reason) ? 0 : 1);
      this.#recordFailure(fleet, { reason, message }, observedAt);
    }
    for (const problem of conditions.newProblems(fleet, driverWorkers)) {
      const decidedAt = coldStarts.decidedAt(problem.worker);
      this.#recordFailure(
        fleet,
        problem,
        observedAt,
        decidedAt === undefined ? undefined : decidedAt + observedAt - now,
      );
    }
  }

  #decide({ fleet, observedAt, conditions }: FleetSnapshot, observation: FleetObservation): readonly ScalingAction[] {
    const { metrics, tuning } = this.#deps;
    const cpuBefore = process.threadCpuUsage();
    const {
      decisions,
      next,
      heldCreation: held,
    } = decideScaling(observation, observedAt, this.#backoffs.get(fleet), tuning);
    const { user, system } = process.threadCpuUsage(cpuBefore);
    metrics.onDecide(fleet, (user + system) / 1_000);
    this.#backoffs.set(fleet, next);
    metrics.onObservation(fleet, observation, held);
    metrics.onConditions(
      fleet,
      conditions.map(({ reason }) => reason),
    );
    this.#logHold(fleet, held);
    return decisions;
  }

  async #execute(action: ScalingAction, { snapshot, driverWorkers, context }: FleetTick): Promise<void> {
    const { clock, exits, executor, metrics, coldStarts, conditions, tuning } = this.#deps;
    const { fleet, observedAt } = snapshot;
    const decidedAt = clock.now().getTime();
    // Before the request: an unscheduled pod is removed before the response arrives.
    if (action.action !== 'create') exits.expect(action.worker);
    const { record, issue, isSkipped } = await executor.execute(snapshot, action, context);
    metrics.onDecision(fleet, action, record.workers.length);
    if (action.action === 'create') {
      for (const name of record.workers) coldStarts.onCreated(fleet, name, decidedAt);
    } else if (isSkipped) exits.unexpect(action.worker);
    if (issue) {
      conditions.record(fleet, issue);
      this.#recordFailure(fleet, issue, observedAt);
    }
    if (action.action === 'stop' && action.reason === 'start-timeout') {
      // `decideScaling` has counted the failure for the backoff. A cause that has a name is reported already.
      metrics.onFailure(fleet, 'StartTimeout');
      const cause = driverWorkers.find(({ name }) => name === action.worker)?.issue;
      const message = `${action.worker} was not ready ${tuning.startDeadlineMs / 1000} s after its start`;
      if (!cause) conditions.record(fleet, { reason: 'StartTimeout', message });
    }
  }

  /** Updates eviction protection and discards pods on lost nodes. */
  async #maintain({ snapshot, driverWorkers, context }: FleetTick): Promise<void> {
    const { driver, log } = this.#deps;
    const fleetWorkers = driverWorkers.filter((worker) => worker.fleet === snapshot.fleet);
    const isActive = (name: string) =>
      snapshot.workers.some((worker) => worker.name === name && (worker.state !== 'disconnected' || worker.busy > 0));
    // A lost worker keeps its runs until its leases end and the gateway reports it as disconnected.
    const lost = fleetWorkers.filter((worker) => worker.isNodeLost && !isActive(worker.name));
    const requests = [
      ...lost.map(({ name }) => driver.discard?.(name, context)),
      ...evictionProtectionChanges(snapshot, fleetWorkers).map(({ name, isProtected }) =>
        driver.setEvictionProtection?.(name, isProtected, context),
      ),
    ];
    for (const result of await Promise.allSettled(requests)) {
      if (result.status === 'rejected') log.debug({ error: errorMessage(result.reason) }, 'worker maintenance failed');
    }
  }

  /** @param createdAt see `recordCreationFailure` */
  #recordFailure(fleet: string, { reason, message }: WorkerIssue, now: number, createdAt?: number): void {
    const backoff = this.#backoffs.get(fleet) ?? NO_BACKOFF;
    this.#backoffs.set(fleet, recordCreationFailure(backoff, reason, message, now, this.#deps.tuning, createdAt));
    this.#deps.metrics.onFailure(fleet, reason);
  }

  /** Logs why a fleet gets fewer workers than it needs, each time the reason changes. */
  #logHold(fleet: string, held: HeldCreation | null): void {
    if (held?.reason === this.#holdReasons.get(fleet)) return;
    if (held === null) {
      this.#holdReasons.delete(fleet);
      return;
    }
    this.#holdReasons.set(fleet, held.reason);
    const failure = held.reason === 'backoff' ? this.#backoffs.get(fleet)?.failures.at(-1) : undefined;
    const detail = failure ? `: ${failure.message}` : '';
    this.#deps.log.info({ fleet, ...held }, `fleet ${fleet}: ${held.count} more wanted (${held.reason})${detail}`);
  }
}
