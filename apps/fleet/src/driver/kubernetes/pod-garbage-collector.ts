import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { hasStatus, type Pod, type PodClient } from '@pilothouse/infra-kube';

/** Milliseconds that a failed pod is kept so that its log can be read. */
const FAILED_POD_RETENTION_MS = 30_000;

const MAX_CONCURRENT_REMOVALS = 16;

/** Deletes finished pods: succeeded ones at once, failed ones after a delay. */
export class PodGarbageCollector {
  readonly #pods: Pick<PodClient, 'remove'>;
  readonly #clock: Clock;
  readonly #log: Log;
  /** First observation as finished by uid, in `monotonic` milliseconds. */
  readonly #finishedAt = new Map<string, number>();
  readonly #removing = new Map<string, Promise<void>>();

  constructor(pods: Pick<PodClient, 'remove'>, clock: Clock, log: Log) {
    this.#pods = pods;
    this.#clock = clock;
    this.#log = log;
  }

  /** @param finished all pods that are finished now */
  collect(finished: readonly Pod[], signal: AbortSignal): void {
    const finishedUids = new Set(finished.map(({ metadata }) => metadata.uid));
    for (const uid of this.#finishedAt.keys()) if (!finishedUids.has(uid)) this.#finishedAt.delete(uid);
    const now = this.#clock.monotonic();
    for (const pod of finished) {
      const { uid } = pod.metadata;
      const finishedAt = this.#finishedAt.get(uid) ?? now;
      this.#finishedAt.set(uid, finishedAt);
      const isDue = pod.status.phase === 'Succeeded' || now - finishedAt >= FAILED_POD_RETENTION_MS;
      if (!isDue || this.#removing.has(uid) || this.#removing.size >= MAX_CONCURRENT_REMOVALS) continue;
      this.#removing.set(uid, this.#remove(pod, signal));
    }
  }

  async waitForRemovals(): Promise<void> {
    await Promise.all(this.#removing.values());
  }

  async #remove({ metadata: { name, uid } }: Pod, signal: AbortSignal): Promise<void> {
    try {
      await this.#pods.remove(name, uid, signal);
    } catch (error) {
      if (!hasStatus(error, 404, 409)) this.#log.debug({ pod: name, error: String(error) }, 'pod not deleted');
    } finally {
      this.#removing.delete(uid);
    }
  }
}
