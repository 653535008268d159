import type { Clock, FleetSnapshot, Log, WorkerExit } from '@pilothouse/core';

/** How long a worker that ended is remembered after the store stopped naming it, in milliseconds. */
const rememberMs = 60_000;

/** Workers that ended: seen by the driver at once, by the store only when it misses their heartbeat. */
export class WorkerExits {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Names that were told to go. */
  readonly #expected = new Set<string>();
  readonly #ended = new Map<string, number>();
  readonly #failed: WorkerExit[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Notes that a worker was told to go: its end is no failure. */
  expect(name: string): void {
    this.#expected.add(name);
  }

  /** Notes that it was not told after all. */
  unexpect(name: string): void {
    this.#expected.delete(name);
  }

  add(exit: WorkerExit): void {
    const { name, fleet, how, age } = exit;
    const expected = this.#expected.delete(name);
    this.#ended.set(name, this.#clock.monotonic());
    // Told to go or not: what has a name is told, e.g. an eviction, which shows as a pod that was told to go.
    if (!expected || exit.reason !== undefined) this.#failed.push(exit);
    const line = `fleet ${fleet}: ${name} ended ${expected ? '' : 'by itself '}(${how}) after ${Math.round(age / 1000)} s`;
    this.#log[expected ? 'info' : 'warn']({ fleet, worker: name, how }, line);
  }

  /** Whether this worker ended. */
  has(name: string): boolean {
    return this.#ended.has(name);
  }

  /** Notes the end of a worker that somebody else is responsible for. */
  remember({ name }: WorkerExit): void {
    this.#ended.set(name, this.#clock.monotonic());
  }

  /** Takes the workers of a fleet that failed: they ended by themselves before they were `stableMs` old, or of something that has a name. */
  takeFailures(fleet: string, stableMs: number): WorkerExit[] {
    const own = this.#failed.filter((exit) => exit.fleet === fleet);
    for (const exit of own) this.#failed.splice(this.#failed.indexOf(exit), 1);
    return own.filter(({ age, reason }) => reason !== undefined || age < stableMs);
  }

  /** Forgets the workers that the store no longer takes for living. */
  forget(all: readonly FleetSnapshot[]): void {
    const named = new Set(
      all.flatMap(({ workers }) => workers.filter(({ state }) => state !== 'gone').map(({ name }) => name)),
    );
    for (const [name, at] of this.#ended) {
      if (!named.has(name) && this.#clock.monotonic() - at > rememberMs) this.#ended.delete(name);
    }
  }
}
