import {
  CreateError,
  type DriverWorker,
  type FleetDriver,
  type WorkerIssue,
  type WorkerExit,
  type WorkerPlan,
} from '@pilothouse/core/ports/fleet-driver.port';
import type { Leadership, LeaderElection } from '@pilothouse/core/ports/fleet-state.port';
import { systemClock, type Clock, type Context, type Log } from '@pilothouse/core/ports/runtime.port';
import {
  podTermination,
  KubeEventRecorder,
  hasStatus,
  isFinished,
  isOnLostNode,
  KubeError,
  LeaseLeaderElection,
  LeaseClient,
  PodClient,
  podProblem,
  PodInformer,
  PodSecretClient,
  type KubeClient,
  type KubeLease,
  type Pod,
  type PodChange,
} from '@pilothouse/infra-kube';
import type { JoinTokens } from '../join-tokens.ts';
import { PodGarbageCollector } from './pod-garbage-collector.ts';
import {
  isOwnedByLease,
  podFleet,
  evictionAnnotations,
  isEvictionProtected,
  JOIN_TOKEN_KEY,
  podManifest,
  podTemplateName,
  WORKER_LABELS,
} from './pod-manifest.ts';
import { PodStartTimes } from './pod-start-times.ts';
import { PodTemplateFolder } from './pod-template-folder.ts';

export interface KubernetesDriverOptions {
  readonly connection: KubeClient;
  readonly namespace: string;
  /** Name of an existing Lease. It owns the pods, and its holder leads. */
  readonly lease: string;
  /** Identity of this controller, e.g. its pod name. */
  readonly identity: string;
  /** Folder with a pod template for each fleet. */
  readonly templates: string;
  readonly joinTokens: JoinTokens;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Runs workers as pods. Pods outlive the controller; the next controller adopts them. */
export class KubernetesDriver implements FleetDriver, LeaderElection {
  readonly #options: KubernetesDriverOptions;
  readonly #clock: Clock;
  readonly #templates: PodTemplateFolder;
  readonly #leases: LeaseClient;
  readonly #leader: LeaseLeaderElection;
  readonly #pods: PodClient;
  readonly #secrets: PodSecretClient;
  readonly #informer: PodInformer;
  readonly #events: KubeEventRecorder;
  readonly #garbageCollector: PodGarbageCollector;
  readonly #startTimes: PodStartTimes;
  readonly #listeners = new Set<(exit: WorkerExit) => void>();
  /** Uids of pods whose exit was reported. */
  readonly #reportedExits = new Set<string>();
  /** Uids of pods that were discarded because their node is lost. */
  readonly #discarded = new Set<string>();
  readonly #closeController = new AbortController();
  /** Names of pods that may exist without the Secret of their join token. They would never start, so `list` deletes them. */
  readonly #incompletePods = new Set<string>();
  #owner: KubeLease | null = null;
  /** Set after a write without a response: the pods must be listed again. */
  #needsRefresh = false;

  constructor(options: KubernetesDriverOptions) {
    const { connection, namespace, lease, identity, templates, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#templates = new PodTemplateFolder(templates, clock);
    this.#leases = new LeaseClient(connection, namespace, lease);
    this.#leader = new LeaseLeaderElection({ leases: this.#leases, identity, log, clock });
    this.#pods = new PodClient(connection, namespace, WORKER_LABELS);
    this.#secrets = new PodSecretClient(connection, namespace);
    this.#events = new KubeEventRecorder({
      connection,
      namespace,
      component: 'pilothouse-fleet',
      instance: identity,
      log,
      clock,
    });
    this.#garbageCollector = new PodGarbageCollector(this.#pods, clock, log);
    this.#startTimes = new PodStartTimes(clock);
    this.#informer = new PodInformer({ pods: this.#pods, log, clock });
    this.#informer.onChange((change) => this.#onPodChange(change));
  }

  /** Acquires the Lease, then lists the pods that the previous leader created. */
  async lead(signal: AbortSignal): Promise<Leadership> {
    const leadership = await this.#leader.lead(signal);
    try {
      const leading = AbortSignal.any([signal, leadership.lossSignal]);
      this.#owner = await this.#leases.read(leading);
      await this.#informer.refresh(AbortSignal.any([leading, AbortSignal.timeout(30_000)]));
      return leadership;
    } catch (error) {
      await leadership.release();
      throw error;
    }
  }

  async list({ signal }: Context): Promise<readonly DriverWorker[]> {
    if (this.#needsRefresh) {
      await this.#informer.refresh(signal);
      this.#needsRefresh = false;
    }
    const ownPods = [...this.#informer.current.values()].filter((pod) => this.#isOwn(pod));
    this.#garbageCollector.collect(ownPods.filter(isFinished), this.#closeController.signal);
    await this.#removeIncompletePods(ownPods, signal);
    const now = this.#clock.now().getTime();
    return ownPods.filter((pod) => !isFinished(pod)).map((pod) => this.#worker(pod, now));
  }

  async create({ fleet }: WorkerPlan, name: string, { signal }: Context): Promise<void> {
    const template = this.#templates.read(fleet);
    this.#owner ??= await this.#leases.read(signal);
    const { joinTokens, log } = this.#options;
    const token = await joinTokens.issue({ fleet, name });
    this.#startTimes.expect(name);
    try {
      const pod = await this.#createPod(podManifest(template, fleet, name, this.#owner), fleet, name, signal);
      await this.#createSecret(pod, token, fleet, signal);
    } catch (error) {
      // A pod that exists without its Secret never starts. Otherwise the token expires.
      await joinTokens
        .end({ fleet, name })
        .catch((cause: unknown) => log.warn({ worker: name, error: String(cause) }, 'join token not ended'));
      throw error;
    }
  }

  async #createSecret(pod: Pod, token: string, fleet: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#secrets.create(pod, { [JOIN_TOKEN_KEY]: token }, signal);
    } catch (error) {
      this.#incompletePods.add(pod.metadata.name);
      throw createError(error, fleet);
    }
  }

  async #createPod(manifest: object, fleet: string, name: string, signal: AbortSignal): Promise<Pod> {
    try {
      const pod = await this.#pods.create(manifest, signal).catch((error: unknown) => {
        // The response to a first attempt was lost. Names are unique, so the pod is this one.
        if (hasStatus(error, 409) && error.reason === 'AlreadyExists') return this.#pods.read(name, signal);
        throw error;
      });
      this.#informer.apply(pod);
      this.#startTimes.markCreated(name);
      return pod;
    } catch (error) {
      this.#startTimes.remove(name);
      if (!(error instanceof KubeError) || error.status === 0) {
        this.#needsRefresh = true;
        this.#incompletePods.add(name);
      }
      throw createError(error, fleet);
    }
  }

  async stop(name: string, { signal }: Context): Promise<void> {
    await this.#remove(name, signal);
  }

  async discard(name: string, { signal }: Context): Promise<void> {
    const pod = this.#informer.current.get(name);
    if (pod) this.#discarded.add(pod.metadata.uid);
    await this.#remove(name, signal, 0);
  }

  async setEvictionProtection(name: string, isProtected: boolean, { signal }: Context): Promise<void> {
    await this.#pods.annotate(name, evictionAnnotations(isProtected), signal).catch((error: unknown) => {
      if (!hasStatus(error, 404)) throw error;
    });
  }

  template(fleet: string): string | undefined {
    try {
      return this.#templates.read(fleet).hash;
    } catch {
      // `create` reports the error.
      return undefined;
    }
  }

  reportIssue(fleet: string, { reason, message }: WorkerIssue): void {
    if (!this.#owner) return;
    const subject = { ...this.#owner, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    void this.#events.warn(
      subject,
      `${fleet} ${reason}`,
      reason,
      `Fleet ${fleet}: ${message}`,
      this.#closeController.signal,
    );
  }

  onExit(listener: (exit: WorkerExit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Leaves the pods running for the next controller. */
  async close(): Promise<void> {
    this.#closeController.abort();
    await this.#informer.close();
    await this.#garbageCollector.waitForRemovals();
    this.#options.connection.close();
  }

  async #removeIncompletePods(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    for (const { metadata } of pods)
      if (metadata.deletionTimestamp === undefined && this.#incompletePods.has(metadata.name))
        await this.#remove(metadata.name, signal, 0);
  }

  #isOwn(pod: Pod): boolean {
    return isOwnedByLease(pod, this.#options.lease);
  }

  #worker(pod: Pod, now: number): DriverWorker {
    const { name, creationTimestamp, deletionTimestamp } = pod.metadata;
    const isNodeLost = isOnLostNode(pod, now);
    const issue = isNodeLost
      ? { reason: 'NodeLost' as const, message: `its node ${pod.spec.nodeName ?? ''} does not answer` }
      : podProblem(pod);
    return {
      name,
      fleet: podFleet(pod),
      state: deletionTimestamp === undefined ? 'running' : 'stopping',
      startedAt: Date.parse(creationTimestamp),
      isEvictionProtected: isEvictionProtected(pod),
      template: podTemplateName(pod),
      progress: this.#startTimes.progressOf(name),
      ...(isNodeLost && { isNodeLost }),
      ...(issue && deletionTimestamp === undefined && { issue }),
      ...(issue && isNodeLost && { issue }),
    };
  }

  #onPodChange({ pod, isRemoved }: PodChange): void {
    if (!this.#isOwn(pod)) return;
    const { uid, name } = pod.metadata;
    if (isRemoved) {
      this.#startTimes.remove(name);
      this.#incompletePods.delete(name);
    } else this.#startTimes.update(pod);
    if (!isRemoved && !isFinished(pod)) return;
    const wasReported = this.#reportedExits.has(uid);
    if (isRemoved) this.#reportedExits.delete(uid);
    else this.#reportedExits.add(uid);
    if (wasReported) return;
    const isNodeLost = this.#discarded.delete(uid) || isOnLostNode(pod, this.#clock.now().getTime());
    const exit = { name, fleet: podFleet(pod), ...podTermination(pod, { isRemoved, isNodeLost }) };
    for (const listener of this.#listeners) listener(exit);
  }

  async #remove(name: string, signal: AbortSignal, graceSeconds?: number): Promise<void> {
    const pod = this.#informer.current.get(name);
    if (!pod || !this.#isOwn(pod)) return;
    await this.#pods.remove(name, pod.metadata.uid, signal, graceSeconds).catch((error: unknown) => {
      if (!hasStatus(error, 404, 409)) throw error;
    });
  }
}

/** Maps an API error to a `CreateError`. The API has no reason code for an exceeded quota. */
function createError(error: unknown, fleet: string): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.status === 403 && error.message.includes('exceeded quota')) {
    return new CreateError('QuotaExceeded', error.message);
  }
  if (error.status === 422 || error.status === 400) {
    return new CreateError('CreateFailed', `The pod template of fleet ${fleet} was rejected: ${error.message}`);
  }
  return new CreateError('CreateFailed', error.message);
}
