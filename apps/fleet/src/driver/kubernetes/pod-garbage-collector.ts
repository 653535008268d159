import type { Clock, Log } from '@pilothouse/core';
import { hasStatus, type Pod, type PodClient } from '@pilothouse/infra-kube';

/** How long the record of a pod that failed is kept for whoever wants to see its log, in milliseconds. */
const KEEP_FAILED_MS = 30_000;

/** Records that are removed at the same time. */
const AT_ONCE = 16;

/** Removes the records of pods whose processes ended. */
export class PodGarbageCollector {
  readonly #pods: Pick<PodClient, 'remove'>;
  readonly #clock: Clock;
  readonly #log: Log;
  /** When they were first seen finished, by `monotonic`. */
  readonly #since = new Map<string, number>();
  readonly #removing = new Map<string, Promise<void>>();

  constructor(pods: Pick<PodClient, 'remove'>, clock: Clock, log: Log) {
    this.#pods = pods;
    this.#clock = clock;
    this.#log = log;
  }

  /** @param finished all that are finished now */
  collect(finished: readonly Pod[], signal: AbortSignal): void {
    const there = new Set(finished.map(({ metadata }) => metadata.uid));
    for (const uid of this.#since.keys()) if (!there.has(uid)) this.#since.delete(uid);
    const now = this.#clock.monotonic();
    for (const pod of finished) {
      const { uid } = pod.metadata;
      const since = this.#since.get(uid) ?? now;
      this.#since.set(uid, since);
      const due = pod.status.phase === 'Succeeded' || now - since >= KEEP_FAILED_MS;
      if (!due || this.#removing.has(uid) || this.#removing.size >= AT_ONCE) continue;
      this.#removing.set(uid, this.#remove(pod, signal));
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#removing.values());
  }

  async #remove({ metadata: { name, uid } }: Pod, signal: AbortSignal): Promise<void> {
    try {
      await this.#pods.remove(name, uid, signal);
    } catch (error) {
      if (!hasStatus(error, 404, 409)) this.#log.debug({ pod: name, error: String(error) }, 'A pod was not collected');
    } finally {
      this.#removing.delete(uid);
    }
  }
}
