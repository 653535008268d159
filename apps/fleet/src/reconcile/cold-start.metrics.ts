import type { DriverWorker } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot } from '@pilothouse/core/ports/fleet-state.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { COLD_START_STAGES, type ColdStartStage, type FleetMetrics } from '../fleet.metrics.ts';

interface Start {
  readonly fleet: string;
  /** Time of each reached stage, in milliseconds since 1970, by the clock of the controller. */
  readonly reachedAt: Partial<Record<ColdStartStage, number>>;
  readonly decidedAt: number;
  readonly reported: Set<ColdStartStage | 'whole'>;
}

/** Measures the start of workers that this controller created: decided → created → scheduled → started → ready → first run. */
export class ColdStartTracker {
  readonly #clock: Clock;
  readonly #metrics: Pick<FleetMetrics, 'onColdStart' | 'onColdStartStage'>;
  readonly #starts = new Map<string, Start>();

  constructor(clock: Clock, metrics: Pick<FleetMetrics, 'onColdStart' | 'onColdStartStage'>) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** @param decidedAt milliseconds since 1970 */
  onCreated(fleet: string, name: string, decidedAt: number): void {
    this.#starts.set(name, {
      fleet,
      decidedAt,
      reachedAt: { created: this.#clock.now().getTime() },
      reported: new Set(),
    });
  }

  /** Decision time of a worker without a run yet, in milliseconds since 1970. Undefined: another controller created it. */
  decidedAt(name: string): number | undefined {
    return this.#starts.get(name)?.decidedAt;
  }

  onExit(name: string): void {
    this.#starts.delete(name);
  }

  /** @param now clock of the controller when the snapshot was read */
  observe({ workers, observedAt }: FleetSnapshot, driverWorkers: readonly DriverWorker[], now: number): void {
    if (this.#starts.size === 0) return;
    for (const { name, progress } of driverWorkers) {
      const start = this.#starts.get(name);
      if (!start || !progress) continue;
      const { createdAt, scheduledAt, startedAt } = progress;
      for (const [stage, stageAt] of [
        ['created', createdAt],
        ['scheduled', scheduledAt],
        ['started', startedAt],
      ] as const) {
        if (stageAt !== undefined) start.reachedAt[stage] = stageAt;
      }
    }
    for (const { name, state, startedAt, busy } of workers) {
      const start = this.#starts.get(name);
      if (!start || state === 'disconnected') continue;
      start.reachedAt.ready ??= Math.min(now, startedAt - observedAt + now);
      if (busy > 0) start.reachedAt['first-run'] ??= now;
    }
    for (const [name, start] of this.#starts) this.#report(name, start);
  }

  /** Reports each stage once. All earlier stages are known when a worker is ready. */
  #report(name: string, { fleet, decidedAt, reachedAt, reported }: Start): void {
    if (reachedAt.ready === undefined) return;
    let previousAt = decidedAt;
    for (const stage of COLD_START_STAGES) {
      const stageAt = reachedAt[stage];
      if (stageAt === undefined) continue;
      if (!reported.has(stage)) this.#metrics.onColdStartStage(fleet, stage, Math.max(0, stageAt - previousAt));
      reported.add(stage);
      previousAt = Math.max(previousAt, stageAt);
    }
    if (!reported.has('whole')) this.#metrics.onColdStart(fleet, Math.max(0, reachedAt.ready - decidedAt));
    reported.add('whole');
    if (reachedAt['first-run'] !== undefined) this.#starts.delete(name);
  }
}
