import { holdReasons, type ScalingAction, type HeldCreation } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetObservation } from '@pilothouse/core/scaling/scaling-observation';
import {
  conditionReasonSchema,
  workerStateSchema,
  type ConditionReason,
} from '@pilothouse/contract/fleet/fleet.schema';
import type { KubeVerb } from '@pilothouse/infra-kube';
import { collectProcessMetrics } from '@pilothouse/infra-telemetry';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Stages of a worker start. `first-run`: the first run is leased to the worker. */
export const COLD_START_STAGES = ['created', 'scheduled', 'started', 'ready', 'first-run'] as const;
export type ColdStartStage = (typeof COLD_START_STAGES)[number];

/** Prometheus metrics of the controller. */
export class FleetMetrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #decisions = new Counter({
    name: 'pilothouse_fleet_decisions_total',
    help: 'Workers created, drained and stopped, by reason',
    labelNames: ['fleet', 'action', 'reason'] as const,
    registers: this.#registers,
  });
  readonly #failures = new Counter({
    name: 'pilothouse_fleet_failures_total',
    help: 'Worker failures, by reason',
    labelNames: ['fleet', 'reason'] as const,
    registers: this.#registers,
  });
  readonly #blocked = new Gauge({
    name: 'pilothouse_fleet_blocked_workers',
    help: 'Workers that are needed but not created, by reason',
    labelNames: ['fleet', 'reason'] as const,
    registers: this.#registers,
  });
  readonly #queuedRuns = new Gauge({
    name: 'pilothouse_fleet_queued_runs',
    help: 'Queued runs that the limits of their projects allow to start',
    labelNames: ['fleet'] as const,
    registers: this.#registers,
  });
  readonly #workers = new Gauge({
    name: 'pilothouse_fleet_workers',
    help: 'Workers by state: starting, ready, draining or disconnected',
    labelNames: ['fleet', 'state'] as const,
    registers: this.#registers,
  });
  readonly #slots = new Gauge({
    name: 'pilothouse_fleet_slots',
    help: 'Slots of ready workers, by use: busy or free',
    labelNames: ['fleet', 'use'] as const,
    registers: this.#registers,
  });
  readonly #coldStart = new Histogram({
    name: 'pilothouse_fleet_cold_start_seconds',
    help: 'Time from the decision to create a worker until it is ready',
    labelNames: ['fleet'] as const,
    buckets: [0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120],
    registers: this.#registers,
  });
  readonly #coldStartStage = new Histogram({
    name: 'pilothouse_fleet_cold_start_stage_seconds',
    help: 'Time from the previous stage until a new worker reaches this one: created, scheduled, started, ready, first-run',
    labelNames: ['fleet', 'stage'] as const,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120, 300],
    registers: this.#registers,
  });
  readonly #conditions = new Gauge({
    name: 'pilothouse_fleet_condition',
    help: '1 while the fleet has this condition, as in `GET /v1/fleets`',
    labelNames: ['fleet', 'reason'] as const,
    registers: this.#registers,
  });
  readonly #reconcile = new Histogram({
    name: 'pilothouse_fleet_reconcile_seconds',
    help: 'Time to observe, decide and act once, by result: done or failed',
    labelNames: ['result'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
    registers: this.#registers,
  });
  readonly #decide = new Histogram({
    name: 'pilothouse_fleet_decide_seconds',
    help: 'CPU time of one scaling decision for one fleet',
    labelNames: ['fleet'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: this.#registers,
  });
  readonly #requests = new Counter({
    name: 'pilothouse_fleet_kube_requests_total',
    help: 'Requests to the Kubernetes API by verb, including failed and repeated requests',
    labelNames: ['verb'] as const,
    registers: this.#registers,
  });
  readonly #isLeader = new Gauge({
    name: 'pilothouse_fleet_is_leader',
    help: '1 at the leader',
    registers: this.#registers,
  });

  constructor() {
    // Memory and CPU of the process under the standard names.
    collectProcessMetrics(this.registry);
  }

  onObservation(fleet: string, { waiting, workers }: FleetObservation, held: HeldCreation | null): void {
    this.#queuedRuns.set({ fleet }, waiting);
    for (const state of workerStateSchema.options) {
      this.#workers.set({ fleet, state }, workers.filter((worker) => worker.state === state).length);
    }
    const ready = workers.filter(({ state }) => state === 'ready');
    this.#slots.set({ fleet, use: 'busy' }, total(ready.map(({ busy }) => busy)));
    this.#slots.set({ fleet, use: 'free' }, total(ready.map(({ slots, busy }) => Math.max(0, slots - busy))));
    for (const reason of holdReasons) {
      this.#blocked.set({ fleet, reason }, held?.reason === reason ? held.count : 0);
    }
  }

  /** Counts workers that a decision was applied to. */
  onDecision(fleet: string, { action, reason }: ScalingAction, workers: number): void {
    if (workers > 0) this.#decisions.inc({ fleet, action, reason }, workers);
  }

  onFailure(fleet: string, reason: ConditionReason): void {
    this.#failures.inc({ fleet, reason });
  }

  /** @param ms from the decision to create the worker until it is ready */
  onColdStart(fleet: string, ms: number): void {
    this.#coldStart.observe({ fleet }, ms / 1000);
  }

  /** @param ms from the previous stage */
  onColdStartStage(fleet: string, stage: ColdStartStage, ms: number): void {
    this.#coldStartStage.observe({ fleet, stage }, ms / 1000);
  }

  /** @param reasons current conditions of the fleet */
  onConditions(fleet: string, reasons: readonly ConditionReason[]): void {
    for (const reason of conditionReasonSchema.options) {
      this.#conditions.set({ fleet, reason }, reasons.includes(reason) ? 1 : 0);
    }
  }

  /** @param ms CPU time of `decideScaling`. Wall time would include other processes on a busy machine. */
  onDecide(fleet: string, ms: number): void {
    this.#decide.observe({ fleet }, ms / 1000);
  }

  /** Counts a request to the Kubernetes API. */
  onKubeRequest(verb: KubeVerb): void {
    this.#requests.inc({ verb });
  }

  onReconcile(ms: number, result: 'done' | 'failed'): void {
    this.#reconcile.observe({ result }, ms / 1000);
  }

  /** Resets the gauges of a controller that no longer leads: its values would be reported beside the leader's. */
  setLeader(isLeader: boolean): void {
    this.#isLeader.set(isLeader ? 1 : 0);
    if (isLeader) return;
    for (const gauge of [this.#queuedRuns, this.#workers, this.#slots, this.#blocked, this.#conditions]) gauge.reset();
  }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
