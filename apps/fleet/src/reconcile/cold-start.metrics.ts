import type { Clock, DriverWorker, FleetSnapshot } from '@pilothouse/core';
import { COLD_START_STAGES, type ColdStartStage, type FleetMetrics } from '../fleet.metrics.ts';

interface Start {
  readonly fleet: string;
  /** Instants by stage that is reached, in milliseconds since 1970, by the clock of the controller. */
  readonly reached: Partial<Record<ColdStartStage, number>>;
  readonly decidedAt: number;
  readonly told: Set<ColdStartStage | 'whole'>;
}

/** Measures the way of workers that this controller made: decided → created → scheduled → begun → ready → first run. */
export class ColdStartTracker {
  readonly #clock: Clock;
  readonly #metrics: Pick<FleetMetrics, 'coldStart' | 'coldStartStage'>;
  readonly #starts = new Map<string, Start>();

  constructor(clock: Clock, metrics: Pick<FleetMetrics, 'coldStart' | 'coldStartStage'>) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** @param decidedAt milliseconds since 1970 */
  created(fleet: string, name: string, decidedAt: number): void {
    this.#starts.set(name, { fleet, decidedAt, reached: { created: this.#clock.now().getTime() }, told: new Set() });
  }

  /** When it was decided to make a worker that has had no run yet, in milliseconds since 1970; undefined where this controller did not make it. */
  decidedAt(name: string): number | undefined {
    return this.#starts.get(name)?.decidedAt;
  }

  ended(name: string): void {
    this.#starts.delete(name);
  }

  /** @param now clock of the controller when the facts were read */
  observe({ workers, observedAt }: FleetSnapshot, made: readonly DriverWorker[], now: number): void {
    if (this.#starts.size === 0) return;
    for (const { name, progress } of made) {
      const start = this.#starts.get(name);
      if (!start || !progress) continue;
      const { createdAt, scheduledAt, begunAt } = progress;
      for (const [stage, at] of [
        ['created', createdAt],
        ['scheduled', scheduledAt],
        ['begun', begunAt],
      ] as const) {
        if (at !== undefined) start.reached[stage] = at;
      }
    }
    for (const { name, state, startedAt, busy } of workers) {
      const start = this.#starts.get(name);
      if (!start || state === 'gone') continue;
      start.reached.ready ??= Math.min(now, startedAt - observedAt + now);
      if (busy > 0) start.reached['first-run'] ??= now;
    }
    for (const [name, start] of this.#starts) this.#tell(name, start);
  }

  /** Tells each stage once it is over; by the time a worker is ready all before it are known. */
  #tell(name: string, { fleet, decidedAt, reached, told }: Start): void {
    if (reached.ready === undefined) return;
    let before = decidedAt;
    for (const stage of COLD_START_STAGES) {
      const at = reached[stage];
      if (at === undefined) continue;
      if (!told.has(stage)) this.#metrics.coldStartStage(fleet, stage, Math.max(0, at - before));
      told.add(stage);
      before = Math.max(before, at);
    }
    if (!told.has('whole')) this.#metrics.coldStart(fleet, Math.max(0, reached.ready - decidedAt));
    told.add('whole');
    if (reached['first-run'] !== undefined) this.#starts.delete(name);
  }
}
