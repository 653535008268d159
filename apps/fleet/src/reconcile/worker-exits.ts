import type { WorkerExit } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot } from '@pilothouse/core/ports/fleet-state.port';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';

/** Milliseconds that an exited worker is remembered after the store no longer lists it. */
const EXIT_MEMORY_MS = 60_000;

/** Exited workers. The driver reports an exit at once, the store notices it by the missing heartbeat. */
export class WorkerExits {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Workers that were asked to stop. */
  readonly #expected = new Set<string>();
  readonly #exitedAt = new Map<string, number>();
  readonly #failures: WorkerExit[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Marks a worker as asked to stop: its exit is not a failure. */
  expect(name: string): void {
    this.#expected.add(name);
  }

  /** Reverts `expect`. */
  unexpect(name: string): void {
    this.#expected.delete(name);
  }

  add(exit: WorkerExit): void {
    const { name, fleet, description, ageMs } = exit;
    const isExpected = this.#expected.delete(name);
    this.#exitedAt.set(name, this.#clock.monotonic());
    // An exit with a reason is a failure even if expected, e.g. an eviction, which also deletes the pod.
    if (!isExpected || exit.reason !== undefined) this.#failures.push(exit);
    const line = `fleet ${fleet}: ${name} ended ${isExpected ? '' : 'by itself '}(${description}) after ${Math.round(ageMs / 1000)} s`;
    this.#log[isExpected ? 'info' : 'warn']({ fleet, worker: name, exit: description }, line);
  }

  /** True if this worker exited. */
  has(name: string): boolean {
    return this.#exitedAt.has(name);
  }

  /** Remembers the exit of a worker that another controller manages. */
  remember({ name }: WorkerExit): void {
    this.#exitedAt.set(name, this.#clock.monotonic());
  }

  /** Removes and returns the failures of a fleet: unexpected exits before `stableMs`, and exits with a reason. */
  takeFailures(fleet: string, stableMs: number): WorkerExit[] {
    const fleetExits = this.#failures.filter((exit) => exit.fleet === fleet);
    for (const exit of fleetExits) this.#failures.splice(this.#failures.indexOf(exit), 1);
    return fleetExits.filter(({ ageMs, reason }) => reason !== undefined || ageMs < stableMs);
  }

  /** Forgets workers that the store no longer lists as alive. */
  forget(snapshots: readonly FleetSnapshot[]): void {
    const liveNames = new Set(
      snapshots.flatMap(({ workers }) =>
        workers.filter(({ state }) => state !== 'disconnected').map(({ name }) => name),
      ),
    );
    for (const [name, exitedAt] of this.#exitedAt) {
      if (!liveNames.has(name) && this.#clock.monotonic() - exitedAt > EXIT_MEMORY_MS) this.#exitedAt.delete(name);
    }
  }
}
