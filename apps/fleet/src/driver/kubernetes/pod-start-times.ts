import type { StartProgress } from '@pilothouse/core/ports/fleet-driver.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { podCondition, type Pod } from '@pilothouse/infra-kube';

/** Start times of pods that this controller created, by its own clock. API timestamps have a resolution of one second. */
export class PodStartTimes {
  readonly #clock: Clock;
  readonly #progress = new Map<string, StartProgress>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  markCreated(name: string): void {
    this.#progress.set(name, { createdAt: this.#now(), ...this.#progress.get(name) });
  }

  /** Starts tracking before the create request: watch events may arrive before its response. */
  expect(name: string): void {
    this.#progress.set(name, {});
  }

  update(pod: Pod): void {
    const { name } = pod.metadata;
    const progress = this.#progress.get(name);
    if (!progress) return;
    const isScheduled = progress.scheduledAt === undefined && podCondition(pod, 'PodScheduled')?.status === 'True';
    const hasStarted =
      progress.startedAt === undefined && pod.status.containerStatuses?.[0]?.state?.running !== undefined;
    if (!isScheduled && !hasStarted) return;
    const now = this.#now();
    this.#progress.set(name, {
      ...progress,
      ...(isScheduled && { scheduledAt: now }),
      ...(hasStarted && { startedAt: now }),
    });
  }

  remove(name: string): void {
    this.#progress.delete(name);
  }

  progressOf(name: string): StartProgress | undefined {
    return this.#progress.get(name);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
