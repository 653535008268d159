import type { Clock, StartProgress } from '@pilothouse/core';
import { podCondition, type Pod } from '@pilothouse/infra-kube';

/** How far pods came that this controller made, by its own clock: the API tells instants in whole seconds. */
export class PodStartTimes {
  readonly #clock: Clock;
  readonly #started = new Map<string, StartProgress>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  created(name: string): void {
    this.#started.set(name, { createdAt: this.#now(), ...this.#started.get(name) });
  }

  /** A pod is about to be made: from now on what is seen of it counts. */
  expect(name: string): void {
    this.#started.set(name, {});
  }

  seen(pod: Pod): void {
    const { name } = pod.metadata;
    const known = this.#started.get(name);
    if (!known) return;
    const scheduled = known.scheduledAt === undefined && podCondition(pod, 'PodScheduled')?.status === 'True';
    const begun = known.begunAt === undefined && pod.status.containerStatuses?.[0]?.state?.running !== undefined;
    if (!scheduled && !begun) return;
    const now = this.#now();
    this.#started.set(name, { ...known, ...(scheduled && { scheduledAt: now }), ...(begun && { begunAt: now }) });
  }

  gone(name: string): void {
    this.#started.delete(name);
  }

  of(name: string): StartProgress | undefined {
    return this.#started.get(name);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
