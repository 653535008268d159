import { PilothouseError } from '@pilothouse/contract';
import {
  decideScaling,
  defaultTuning,
  NO_BACKOFF,
  recordCreationFailure,
  systemClock,
  type Clock,
  type Context,
  type ScalingAction,
  type DriverWorker,
  type FleetDriver,
  type FleetSnapshot,
  type BackoffState,
  type FleetState,
  type HeldCreation,
  type HoldReason,
  type LeaderElection,
  type Log,
  type ScalingTuning,
  type WorkerIssue,
  WakeableTimer,
  withDeadline,
} from '@pilothouse/core';
import { DecisionExecutor, errorMessage } from './decision-executor.ts';
import { ColdStartTracker } from './cold-start.metrics.ts';
import { ConditionRecorder } from './condition-recorder.ts';
import { WorkerExits } from './worker-exits.ts';
import { evictionProtectionChanges } from './eviction-protection.ts';
import type { FleetMetrics } from '../fleet.metrics.ts';
import { buildObservation } from './fleet-observation.ts';

/** Workers that are drained or stopped at the same time, and in one look at most. */
const endsAtOnce = 8;
const mostEnds = 200;

export interface FleetControllerDeps {
  readonly state: FleetState;
  /** Who says which controller acts; left out: the store. */
  readonly leader?: LeaderElection;
  readonly driver: FleetDriver;
  readonly log: Log;
  readonly metrics: FleetMetrics;
  readonly clock?: Clock;
  readonly tuning?: ScalingTuning;
  /** Time between two looks, in milliseconds; a worker that ends is looked at at once. */
  readonly tickMs?: number;
  /** Facts older than this decide nothing, and nothing is waited for longer. */
  readonly staleMs?: number;
  readonly name?: (fleet: string) => string;
}

/** Observe → decide → act, again and again, while this controller leads. */
export class FleetController {
  readonly #options: FleetControllerDeps;
  readonly #clock: Clock;
  readonly #tuning: ScalingTuning;
  readonly #staleMs: number;
  readonly #actor: DecisionExecutor;
  readonly #departures: WorkerExits;
  readonly #waker = new WakeableTimer();
  readonly #memories = new Map<string, BackoffState>();
  readonly #coldStarts: ColdStartTracker;
  readonly #conditions: ConditionRecorder;
  /** What was last said of each fleet that wants more than it gets. */
  readonly #holds = new Map<string, HoldReason>();
  #leads = false;
  #trouble: string | null = null;
  #lastTick: number;

  constructor(options: FleetControllerDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#tuning = options.tuning ?? defaultTuning;
    this.#staleMs = options.staleMs ?? 10_000;
    this.#actor = new DecisionExecutor(options);
    this.#departures = new WorkerExits(this.#clock, options.log);
    this.#coldStarts = new ColdStartTracker(this.#clock, options.metrics);
    this.#conditions = new ConditionRecorder({ ...options, tuning: this.#tuning });
    this.#lastTick = this.#clock.monotonic();
  }

  /** Whether it does its work: it leads and looked within the last 30 s, or waits for another to go. */
  get isHealthy(): boolean {
    return !this.#leads || this.#clock.monotonic() - this.#lastTick < 30_000;
  }

  get isLeader(): boolean {
    return this.#leads;
  }

  /** Runs until the signal aborts. Never throws; the driver and its workers are left as they are. */
  async run(signal: AbortSignal): Promise<void> {
    const silence = this.#options.driver.onExit((exit) => {
      this.#coldStarts.ended(exit.name);
      // A controller that waits to lead only knows that they are gone; the one that leads says so.
      if (this.#leads) this.#departures.add(exit);
      else this.#departures.remember(exit);
      this.#waker.wake();
    });
    while (!signal.aborted) {
      await this.#lead(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#stumble(error);
      });
      await this.#waker.wait(this.#options.tickMs ?? 1_000, signal);
    }
    silence();
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const lead = await (this.#options.leader ?? this.#options.state).lead(signal);
    this.#setLeads(true);
    const acting = AbortSignal.any([signal, lead.lost]);
    try {
      while (!acting.aborted) {
        await this.#tick(acting);
        await this.#waker.wait(this.#options.tickMs ?? 1_000, acting);
      }
    } finally {
      this.#setLeads(false);
      await lead.release();
    }
  }

  #setLeads(leads: boolean): void {
    this.#leads = leads;
    this.#lastTick = this.#clock.monotonic();
    this.#options.metrics.setLeader(leads);
    this.#options.log.info({ leads }, leads ? 'This controller leads' : 'This controller no longer leads');
  }

  async #tick(acting: AbortSignal): Promise<void> {
    const begun = this.#clock.monotonic();
    try {
      const ms = this.#staleMs;
      await withDeadline(ms, acting, (signal) => this.#look({ signal, deadline: begun + ms, log: this.#options.log }), {
        error: () => new PilothouseError('UNAVAILABLE', `Observing, deciding and acting took longer than ${ms} ms`),
      });
      this.#lastTick = this.#clock.monotonic();
      this.#options.metrics.onReconcile(this.#lastTick - begun, 'done');
      if (this.#trouble !== null) this.#options.log.info({}, 'The controller observes again');
      this.#trouble = null;
    } catch (error) {
      if (acting.aborted) return;
      this.#options.metrics.onReconcile(this.#clock.monotonic() - begun, 'failed');
      this.#stumble(error);
    }
  }

  /** Says what is wrong, once, until it is something else or over. */
  #stumble(error: unknown): void {
    const message = errorMessage(error);
    if (message !== this.#trouble) this.#options.log.error({ error: message }, `The controller cannot act: ${message}`);
    this.#trouble = message;
  }

  /** One look at everything. The signal aborts when the facts are too old to act on, or leading ended. */
  async #look(context: Context): Promise<void> {
    // Facts first: a worker made in between is then one that starts, and not one that nobody made.
    const all = await this.#options.state.observe(context);
    const now = this.#clock.now().getTime();
    const made = await this.#options.driver.list(context);
    for (const facts of all) {
      context.signal.throwIfAborted();
      await this.#scale(facts, made, now, context);
    }
    this.#departures.forget(all);
  }

  async #scale(facts: FleetSnapshot, made: readonly DriverWorker[], now: number, context: Context): Promise<void> {
    const { fleet, observedAt } = facts;
    const template = this.#options.driver.template?.(fleet);
    const observation = buildObservation(facts, made, this.#departures, now, template);
    for (const { name, state, managed } of observation.workers) {
      if (managed && state === 'draining') this.#departures.expect(name);
    }
    this.#coldStarts.observe(facts, made, now);
    for (const { name, how, reason = 'CrashLoop' } of this.#departures.takeFailures(fleet, this.#tuning.stableMs)) {
      // What was wrong with it before it ended is counted already.
      const times = this.#conditions.isKnown(fleet, name, reason) ? 0 : 1;
      this.#conditions.record(fleet, { reason, message: `${name} ended: ${how}` }, times);
      this.#fail(fleet, { reason, message: `${name} ended: ${how}` }, observedAt);
    }
    for (const trouble of this.#conditions.newProblems(fleet, made)) {
      const decidedAt = this.#coldStarts.decidedAt(trouble.worker);
      this.#fail(fleet, trouble, observedAt, decidedAt === undefined ? undefined : decidedAt + observedAt - now);
    }

    const begun = process.threadCpuUsage();
    const { decisions, next, held } = decideScaling(observation, observedAt, this.#memories.get(fleet), this.#tuning);
    const { user, system } = process.threadCpuUsage(begun);
    this.#options.metrics.onDecide(fleet, (user + system) / 1_000);
    this.#memories.set(fleet, next);
    this.#options.metrics.observed(fleet, observation, held);
    this.#options.metrics.conditions(
      fleet,
      facts.conditions.map(({ reason }) => reason),
    );
    this.#hold(fleet, held);

    // What ends waits for nothing but answers. The rest of very many comes with the next look, before the facts are stale.
    const ends = decisions.filter(({ action }) => action !== 'create').slice(0, mostEnds);
    const creates = decisions.filter(({ action }) => action === 'create');
    while (ends.length > 0) {
      context.signal.throwIfAborted();
      const batch = ends.splice(0, endsAtOnce);
      await Promise.all(batch.map((decision) => this.#carryOut(facts, decision, made, context)));
    }
    for (const decision of creates) {
      context.signal.throwIfAborted();
      await this.#carryOut(facts, decision, made, context);
    }
    await this.#conditions.flush(facts, context);
    await this.#tend(facts, made, context);
  }

  async #carryOut(
    facts: FleetSnapshot,
    decision: ScalingAction,
    made: readonly DriverWorker[],
    context: Context,
  ): Promise<void> {
    const { fleet, observedAt } = facts;
    const decidedAt = this.#clock.now().getTime();
    // Before it is told: a pod that has no machine yet is gone before the answer comes.
    if (decision.action !== 'create') this.#departures.expect(decision.worker);
    const { record, trouble, skipped } = await this.#actor.execute(facts, decision, context);
    this.#options.metrics.onDecision(fleet, decision, record.workers.length);
    if (decision.action === 'create') {
      for (const name of record.workers) this.#coldStarts.created(fleet, name, decidedAt);
    } else if (skipped) this.#departures.unexpect(decision.worker);
    if (trouble) this.#happened(fleet, trouble, observedAt);
    if (decision.action === 'stop' && decision.reason === 'start-timeout') {
      // `decide` has noted the failure. What kept the worker from starting is told already, where it has a name.
      this.#options.metrics.failed(fleet, 'StartTimeout');
      const named = made.find(({ name }) => name === decision.worker)?.trouble;
      const message = `${decision.worker} was not ready ${this.#tuning.startDeadlineMs / 1000} s after its start`;
      if (!named) this.#conditions.record(fleet, { reason: 'StartTimeout', message });
    }
  }

  /** What is no decision: machines are kept for workers that need them, and records of lost ones go. */
  async #tend(facts: FleetSnapshot, made: readonly DriverWorker[], context: Context): Promise<void> {
    const { driver, log } = this.#options;
    const own = made.filter((worker) => worker.fleet === facts.fleet);
    const held = (name: string) =>
      facts.workers.some((worker) => worker.name === name && (worker.state !== 'gone' || worker.busy > 0));
    // Once its leases ended, and nothing is heard of it: until then its runs are its own.
    const lost = own.filter((worker) => worker.lost && !held(worker.name));
    const work = [
      ...lost.map(({ name }) => driver.discard?.(name, context)),
      ...evictionProtectionChanges(facts, own).map(({ name, guarded }) => driver.guard?.(name, guarded, context)),
    ];
    for (const result of await Promise.allSettled(work)) {
      if (result.status === 'rejected')
        log.debug({ error: errorMessage(result.reason) }, 'A worker could not be tended');
    }
  }

  #happened(fleet: string, trouble: WorkerIssue, now: number): void {
    this.#conditions.record(fleet, trouble);
    this.#fail(fleet, trouble, now);
  }

  /** @param madeAt see `recordCreationFailure` */
  #fail(fleet: string, { reason, message }: WorkerIssue, now: number, madeAt?: number): void {
    const memory = this.#memories.get(fleet) ?? NO_BACKOFF;
    this.#memories.set(fleet, recordCreationFailure(memory, reason, message, now, this.#tuning, madeAt));
    this.#options.metrics.failed(fleet, reason);
  }

  /** Says that a fleet gets less than it wants, when the reason changes. */
  #hold(fleet: string, held: HeldCreation | null): void {
    if (held?.reason === this.#holds.get(fleet)) return;
    if (held === null) {
      this.#holds.delete(fleet);
      return;
    }
    this.#holds.set(fleet, held.reason);
    const failure = held.reason === 'backoff' ? this.#memories.get(fleet)?.failures.at(-1) : undefined;
    const why = failure ? `: ${failure.message}` : '';
    this.#options.log.info({ fleet, ...held }, `fleet ${fleet}: ${held.count} more wanted (${held.reason})${why}`);
  }
}
