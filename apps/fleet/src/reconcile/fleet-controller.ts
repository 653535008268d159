import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FleetDriver } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetState, LeaderElection } from '@pilothouse/core/ports/fleet-state.port';
import { systemClock, type Clock, type Context, type Log } from '@pilothouse/core/ports/runtime.port';
import { defaultTuning, type ScalingTuning } from '@pilothouse/core/scaling/scaling-observation';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import { WakeableTimer } from '@pilothouse/core/time/timers';
import type { FleetMetrics } from '../fleet.metrics.ts';
import { ColdStartTracker } from './cold-start.metrics.ts';
import { ConditionRecorder } from './condition-recorder.ts';
import { DecisionExecutor, errorMessage } from './decision-executor.ts';
import { FleetReconciler } from './fleet-reconciler.ts';
import { WorkerExits } from './worker-exits.ts';

export interface FleetControllerDeps {
  readonly state: FleetState;
  /** Elects the controller that acts. Default: the store. */
  readonly leader?: LeaderElection;
  readonly driver: FleetDriver;
  readonly log: Log;
  readonly metrics: FleetMetrics;
  readonly clock?: Clock;
  readonly tuning?: ScalingTuning;
  /** Time between two ticks, in milliseconds. A worker exit starts a tick at once. */
  readonly tickMs?: number;
  /** Maximum age of a snapshot that decisions may use, and deadline of a tick, in milliseconds. */
  readonly staleMs?: number;
  readonly name?: (fleet: string) => string;
}

/** Milliseconds within which a tick of a healthy leader ends, with or without an error. */
const MAX_TICK_AGE_MS = 30_000;

/** Milliseconds within which a tick of a healthy leader succeeds. */
const MAX_SUCCESS_AGE_MS = 600_000;

/** Runs the reconcile loop of all fleets while this controller is the leader. */
export class FleetController {
  readonly #options: FleetControllerDeps;
  readonly #clock: Clock;
  readonly #staleMs: number;
  readonly #exits: WorkerExits;
  readonly #coldStarts: ColdStartTracker;
  readonly #reconciler: FleetReconciler;
  readonly #timer = new WakeableTimer();
  #isLeader = false;
  /** Message of the last error; null: the last tick succeeded. */
  #lastError: string | null = null;
  #lastTickAt: number;
  #lastSuccessAt: number;

  constructor(options: FleetControllerDeps) {
    const { clock = systemClock, tuning = defaultTuning, driver, log, metrics } = options;
    this.#options = options;
    this.#clock = clock;
    this.#staleMs = options.staleMs ?? 10_000;
    this.#exits = new WorkerExits(clock, log);
    this.#coldStarts = new ColdStartTracker(clock, metrics);
    this.#reconciler = new FleetReconciler({
      driver,
      log,
      metrics,
      clock,
      tuning,
      executor: new DecisionExecutor(options),
      exits: this.#exits,
      coldStarts: this.#coldStarts,
      conditions: new ConditionRecorder({ ...options, tuning }),
    });
    this.#lastTickAt = this.#lastSuccessAt = clock.monotonic();
  }

  /**
   * A leader is healthy if a tick ended within 30 s and one succeeded within 10 min. A restart does not repair a short outage
   * of PostgreSQL or Kubernetes, but it repairs a client that fails for ever. A standby is always healthy.
   */
  get isHealthy(): boolean {
    if (!this.#isLeader) return true;
    const now = this.#clock.monotonic();
    return now - this.#lastTickAt < MAX_TICK_AGE_MS && now - this.#lastSuccessAt < MAX_SUCCESS_AGE_MS;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Runs until the signal aborts. Never throws. Leaves the driver and its workers running. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.driver.onExit((exit) => {
      this.#coldStarts.onExit(exit.name);
      // Only the leader reports exits. A standby remembers them.
      if (this.#isLeader) this.#exits.add(exit);
      else this.#exits.remember(exit);
      this.#timer.wake();
    });
    while (!signal.aborted) {
      await this.#lead(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#logError(error);
      });
      await this.#timer.wait(this.#options.tickMs ?? 1_000, signal);
    }
    unsubscribe();
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const leadership = await (this.#options.leader ?? this.#options.state).lead(signal);
    this.#setLeader(true);
    const leading = AbortSignal.any([signal, leadership.lossSignal]);
    try {
      while (!leading.aborted) {
        await this.#tick(leading);
        await this.#timer.wait(this.#options.tickMs ?? 1_000, leading);
      }
    } finally {
      this.#setLeader(false);
      await leadership.release();
    }
  }

  #setLeader(isLeader: boolean): void {
    this.#isLeader = isLeader;
    this.#lastTickAt = this.#lastSuccessAt = this.#clock.monotonic();
    this.#options.metrics.setLeader(isLeader);
    this.#options.log.info({ leads: isLeader }, isLeader ? 'leadership acquired' : 'leadership lost');
  }

  async #tick(leading: AbortSignal): Promise<void> {
    const { metrics, log } = this.#options;
    const startedAt = this.#clock.monotonic();
    try {
      const ms = this.#staleMs;
      await withDeadline(ms, leading, (signal) => this.#reconcileAll({ signal, deadline: startedAt + ms, log }), {
        error: () => new PilothouseError('UNAVAILABLE', `Observing, deciding and acting took longer than ${ms} ms`),
      });
      this.#lastSuccessAt = this.#clock.monotonic();
      metrics.onReconcile(this.#lastSuccessAt - startedAt, 'done');
      if (this.#lastError !== null) log.info({}, 'reconcile loop recovered');
      this.#lastError = null;
    } catch (error) {
      if (leading.aborted) return;
      metrics.onReconcile(this.#clock.monotonic() - startedAt, 'failed');
      this.#logError(error);
    } finally {
      this.#lastTickAt = this.#clock.monotonic();
    }
  }

  /** Logs an error once, until another one occurs or a tick succeeds. */
  #logError(error: unknown): void {
    const message = errorMessage(error);
    if (message !== this.#lastError) this.#options.log.error({ error: message }, `reconcile loop failed: ${message}`);
    this.#lastError = message;
  }

  /** Reconciles all fleets once. The signal aborts when the snapshot is too old or leadership ends. */
  async #reconcileAll(context: Context): Promise<void> {
    // The snapshot is read first: a worker created in between then counts as starting, not as unmanaged.
    const snapshots = await this.#options.state.observe(context);
    const now = this.#clock.now().getTime();
    const driverWorkers = await this.#options.driver.list(context);
    for (const snapshot of snapshots) {
      context.signal.throwIfAborted();
      await this.#reconciler.reconcile({ snapshot, driverWorkers, now, context });
    }
    this.#exits.forget(snapshots);
  }
}
