import { once } from 'node:events';
import { systemClock, type Clock, type Log } from '@pilothouse/core/ports/runtime.port';
import { backoffMs } from '@pilothouse/core/time/backoff';
import { sleep } from '@pilothouse/core/time/timers';
import { hasStatus, KubeError } from './kube-error.ts';
import { type KubeStatus, type Pod, type WatchLine, pickPodFields } from './kube-pod.ts';
import type { PodClient } from './pod-client.ts';

/** Maximum age of the state while connected, in milliseconds. The server ends a watch well before. */
const MAX_SILENCE_MS = 20_000;

/** Maximum age of the state after a lost connection, in milliseconds. */
const DISCONNECTED_MAX_AGE_MS = 5_000;

/** Number of removed pods that are remembered. */
const MAX_REMOVED_UIDS = 2_000;

/** A watch shorter than this, in milliseconds, counts as failed and is followed by a backoff. */
const SHORT_WATCH_MS = 500;

/** Backoff after failed watches. Jitter spreads the retries of replicas. */
const RETRY_BACKOFF = { firstMs: 100, maxMs: 5_000, jitter: 0.5 };

export interface PodChange {
  readonly pod: Pod;
  /** True if the pod object was removed. */
  readonly isRemoved: boolean;
}

export interface PodInformerDeps {
  readonly pods: Pick<PodClient, 'list' | 'watch'>;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Caches the pods of a namespace: lists once, then watches, and lists again if the watch version is too old. */
export class PodInformer {
  readonly #options: PodInformerDeps;
  readonly #clock: Clock;
  readonly #pods = new Map<string, Pod>();
  /** Recently removed pods. A late response must not add them again. */
  readonly #removedUids = new Set<string>();
  readonly #listeners = new Set<(change: PodChange) => void>();
  readonly #stopController = new AbortController();
  readonly #running: Promise<void>;
  readonly #listed = new EventTarget();
  /** Resource version to watch from. Null: list first. */
  #version: string | null = null;
  #relist = new AbortController();
  #lastResponseAt: number | null = null;
  #isConnected = false;
  #lastError: string | null = null;

  constructor(options: PodInformerDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#running = this.#run(this.#stopController.signal);
  }

  /**
   * Last known pods by name.
   * @throws KubeError if the state is too old for decisions
   */
  get current(): ReadonlyMap<string, Pod> {
    const silentMs = this.#lastResponseAt === null ? Infinity : this.#clock.monotonic() - this.#lastResponseAt;
    if (silentMs <= (this.#isConnected ? MAX_SILENCE_MS : DISCONNECTED_MAX_AGE_MS)) return this.#pods;
    const description =
      silentMs === Infinity ? 'has not answered yet' : `is silent for ${Math.round(silentMs / 1000)} s`;
    throw new KubeError(0, 'Unavailable', `The Kubernetes API ${description}: decisions wait for its current state`);
  }

  /** Calls the listener for every change. Returns a function that unsubscribes. */
  onChange(listener: (change: PodChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Applies the response of a write before the watch reports it. */
  apply(pod: Pod): void {
    const cached = this.#pods.get(pod.metadata.name);
    if (this.#removedUids.has(pod.metadata.uid) || cached?.metadata.uid === pod.metadata.uid) return;
    this.#upsert(pod);
  }

  /** Lists again. Resolves with a state that is newer than the call. @throws the reason of the signal when it aborts */
  async refresh(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const nextList = once(this.#listed, 'listed', { signal: AbortSignal.any([signal, this.#stopController.signal]) });
    this.#relist.abort();
    await nextList.catch(() => {
      signal.throwIfAborted();
      this.#stopController.signal.throwIfAborted();
    });
  }

  async close(): Promise<void> {
    this.#stopController.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      if (this.#relist.signal.aborted) {
        this.#relist = new AbortController();
        this.#version = null;
      }
      const combinedSignal = AbortSignal.any([signal, this.#relist.signal]);
      try {
        const watchStartedAt = this.#clock.monotonic();
        await this.#listAndWatch(combinedSignal);
        failures = this.#clock.monotonic() - watchStartedAt < SHORT_WATCH_MS ? failures + 1 : 0;
        if (failures > 0) await sleep(backoffMs(RETRY_BACKOFF, failures), combinedSignal);
      } catch (error) {
        this.#isConnected = false;
        if (hasStatus(error, 410)) this.#version = null;
        if (combinedSignal.aborted) continue;
        failures += 1;
        this.#logError(error);
        await sleep(backoffMs(RETRY_BACKOFF, failures), combinedSignal);
      }
    }
  }

  /** Lists if no version is known, then watches until the server ends the watch. */
  async #listAndWatch(signal: AbortSignal): Promise<void> {
    this.#version ??= await this.#list(signal);
    const watchStartedAt = () => {
      this.#isConnected = true;
      this.#markResponse();
    };
    for await (const line of this.#options.pods.watch(this.#version, signal, watchStartedAt)) {
      this.#applyLine(line);
      this.#markResponse();
    }
    signal.throwIfAborted();
    this.#markResponse();
  }

  #markResponse(): void {
    this.#lastResponseAt = this.#clock.monotonic();
    if (this.#lastError !== null) this.#options.log.info({}, 'Kubernetes API available again');
    this.#lastError = null;
  }

  async #list(signal: AbortSignal): Promise<string> {
    // A pod that is created during the list may be missing in it.
    const previous = [...this.#pods.values()];
    const { pods, version } = await this.#options.pods.list(signal);
    const listedUids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of previous) if (!listedUids.has(pod.metadata.uid)) this.#delete(pod);
    for (const pod of pods) this.#upsert(pod);
    this.#markResponse();
    this.#listed.dispatchEvent(new Event('listed'));
    return version;
  }

  #applyLine({ type, object }: WatchLine<Pod>): void {
    if (type === 'ERROR') {
      const { code = 0, reason = 'Unknown', message = 'The watch failed' } = object as unknown as KubeStatus;
      throw new KubeError(code, reason, message);
    }
    if (type === 'DELETED') this.#delete(object);
    else if (type !== 'BOOKMARK') this.#upsert(object);
    this.#version = object.metadata.resourceVersion;
  }

  #upsert(object: Pod): void {
    const pod = pickPodFields(object);
    const { name, uid } = pod.metadata;
    const previous = this.#pods.get(name);
    if (previous && previous.metadata.uid !== uid) this.#delete(previous);
    this.#pods.set(name, pod);
    for (const listener of this.#listeners) listener({ pod, isRemoved: false });
  }

  #delete(object: Pod): void {
    const pod = pickPodFields(object);
    this.#removedUids.add(pod.metadata.uid);
    for (const uid of this.#removedUids) if (this.#removedUids.size > MAX_REMOVED_UIDS) this.#removedUids.delete(uid);
    if (this.#pods.get(pod.metadata.name)?.metadata.uid === pod.metadata.uid) this.#pods.delete(pod.metadata.name);
    for (const listener of this.#listeners) listener({ pod, isRemoved: true });
  }

  /** Logs an error once, until another one occurs or a request succeeds. */
  #logError(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lastError) this.#options.log.warn({ error: message }, 'pod watch failed');
    this.#lastError = message;
  }
}
