import { once } from 'node:events';
import { systemClock, type Clock, type Log, sleep, backoffMs } from '@pilothouse/core';
import { hasStatus, KubeError } from './kube-error.ts';
import { type KubeStatus, type Pod, type WatchLine, pickPodFields } from './kube-pod.ts';
import type { PodClient } from './pod-client.ts';

/** Without a word from the server for so long nobody knows what is true, in milliseconds. A watch ends itself well before. */
const SILENCE_MS = 20_000;

/** After a cut connection the last word is good for so long, in milliseconds. */
const CUT_MS = 5_000;

/** So many removed pods are remembered. */
const REMEMBERED = 2_000;

/** A watch that ends sooner has failed, in milliseconds: without a rest it would be asked for again and again. */
const SHORT_MS = 500;

/** Delays after watches that failed. Replicas do not retry at the same instant. */
const RETRY_BACKOFF = { firstMs: 100, maxMs: 5_000, jitter: 0.5 };

/** What happened to a pod. */
export interface PodChange {
  readonly pod: Pod;
  /** Its record is removed. */
  readonly gone: boolean;
}

export interface PodInformerDeps {
  readonly pods: Pick<PodClient, 'list' | 'watch'>;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Pods as they are: listed once, then watched, and listed again where the watch has lost its place. */
export class PodInformer {
  readonly #options: PodInformerDeps;
  readonly #clock: Clock;
  readonly #pods = new Map<string, Pod>();
  /** Removed lately: an answer that is late must not bring them back. */
  readonly #removed = new Set<string>();
  readonly #listeners = new Set<(change: PodChange) => void>();
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  readonly #listed = new EventTarget();
  /** Where the watch goes on; null: list first. */
  #version: string | null = null;
  #again = new AbortController();
  #lastWord: number | null = null;
  #connected = false;
  #trouble: string | null = null;

  constructor(options: PodInformerDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#running = this.#run(this.#stopped.signal);
  }

  /**
   * The pods, as the API server last told.
   * @throws KubeError where that is too long ago to decide anything
   */
  get current(): ReadonlyMap<string, Pod> {
    const silent = this.#lastWord === null ? Infinity : this.#clock.monotonic() - this.#lastWord;
    if (silent <= (this.#connected ? SILENCE_MS : CUT_MS)) return this.#pods;
    const since = silent === Infinity ? 'has not answered yet' : `is silent for ${Math.round(silent / 1000)} s`;
    throw new KubeError(0, 'Away', `The Kubernetes API ${since}, and nothing is decided on old facts`);
  }

  /** Tells of every change from now on. Returns what stops the telling. */
  onChange(listener: (change: PodChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes over what the server answered to a write, before the watch tells. */
  put(pod: Pod): void {
    const known = this.#pods.get(pod.metadata.name);
    if (this.#removed.has(pod.metadata.uid) || known?.metadata.uid === pod.metadata.uid) return;
    this.#see(pod);
  }

  /** Lists anew: what comes back was true after this was called. @throws the reason of the signal when it aborts */
  async refresh(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const listed = once(this.#listed, 'listed', { signal: AbortSignal.any([signal, this.#stopped.signal]) });
    this.#again.abort();
    await listed.catch(() => {
      signal.throwIfAborted();
      this.#stopped.signal.throwIfAborted();
    });
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      if (this.#again.signal.aborted) {
        this.#again = new AbortController();
        this.#version = null;
      }
      const either = AbortSignal.any([signal, this.#again.signal]);
      try {
        const begun = this.#clock.monotonic();
        await this.#follow(either);
        failures = this.#clock.monotonic() - begun < SHORT_MS ? failures + 1 : 0;
        if (failures > 0) await sleep(backoffMs(RETRY_BACKOFF, failures), either);
      } catch (error) {
        this.#connected = false;
        if (hasStatus(error, 410)) this.#version = null;
        if (either.aborted) continue;
        failures += 1;
        this.#stumble(error);
        await sleep(backoffMs(RETRY_BACKOFF, failures), either);
      }
    }
  }

  /** Lists if need be, and watches until the server ends the watch. */
  async #follow(signal: AbortSignal): Promise<void> {
    this.#version ??= await this.#list(signal);
    const begun = () => {
      this.#connected = true;
      this.#heard();
    };
    for await (const line of this.#options.pods.watch(this.#version, signal, begun)) {
      this.#take(line);
      this.#heard();
    }
    signal.throwIfAborted();
    this.#heard();
  }

  #heard(): void {
    this.#lastWord = this.#clock.monotonic();
    if (this.#trouble !== null) this.#options.log.info({}, 'The Kubernetes API answers again');
    this.#trouble = null;
  }

  async #list(signal: AbortSignal): Promise<string> {
    // One that is made while the list is under way may be missing in it.
    const before = [...this.#pods.values()];
    const { pods, version } = await this.#options.pods.list(signal);
    const there = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of before) if (!there.has(pod.metadata.uid)) this.#drop(pod);
    for (const pod of pods) this.#see(pod);
    this.#heard();
    this.#listed.dispatchEvent(new Event('listed'));
    return version;
  }

  #take({ type, object }: WatchLine<Pod>): void {
    if (type === 'ERROR') {
      const { code = 0, reason = 'Unknown', message = 'The watch failed' } = object as unknown as KubeStatus;
      throw new KubeError(code, reason, message);
    }
    if (type === 'DELETED') this.#drop(object);
    else if (type !== 'BOOKMARK') this.#see(object);
    this.#version = object.metadata.resourceVersion;
  }

  #see(seen: Pod): void {
    const pod = pickPodFields(seen);
    const { name, uid } = pod.metadata;
    const before = this.#pods.get(name);
    if (before && before.metadata.uid !== uid) this.#drop(before);
    this.#pods.set(name, pod);
    for (const listener of this.#listeners) listener({ pod, gone: false });
  }

  #drop(seen: Pod): void {
    const pod = pickPodFields(seen);
    this.#removed.add(pod.metadata.uid);
    for (const uid of this.#removed) if (this.#removed.size > REMEMBERED) this.#removed.delete(uid);
    if (this.#pods.get(pod.metadata.name)?.metadata.uid === pod.metadata.uid) this.#pods.delete(pod.metadata.name);
    for (const listener of this.#listeners) listener({ pod, gone: true });
  }

  /** Says what is wrong, once, until it is something else or over. */
  #stumble(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#trouble) this.#options.log.warn({ error: message }, `Pods cannot be watched: ${message}`);
    this.#trouble = message;
  }
}
