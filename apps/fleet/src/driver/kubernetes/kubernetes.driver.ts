import {
  CreateError,
  systemClock,
  type Clock,
  type Context,
  type DriverWorker,
  type FleetDriver,
  type Leadership,
  type LeaderElection,
  type Log,
  type WorkerIssue,
  type WorkerExit,
  type WorkerPlan,
} from '@pilothouse/core';
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
  type KubeClient,
  type KubeLease,
  type Pod,
  type PodChange,
} from '@pilothouse/infra-kube';
import { PodGarbageCollector } from './pod-garbage-collector.ts';
import {
  isOwnedByLease,
  podFleet,
  evictionAnnotations,
  isEvictionProtected,
  podManifest,
  podTemplateName,
  WORKER_LABELS,
} from './pod-manifest.ts';
import { PodStartTimes } from './pod-start-times.ts';
import { PodTemplateFolder } from './pod-template-folder.ts';

export interface KubernetesDriverOptions {
  readonly connection: KubeClient;
  readonly namespace: string;
  /** Name of a Lease that is there: it owns the pods, and who holds it leads. */
  readonly lease: string;
  /** Who this controller is, e.g. the name of its pod. */
  readonly identity: string;
  /** Folder with a pod template for each fleet. */
  readonly templates: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Workers as pods. They live without the controller; another one adopts them. */
export class KubernetesDriver implements FleetDriver, LeaderElection {
  readonly #options: KubernetesDriverOptions;
  readonly #clock: Clock;
  readonly #templates: PodTemplateFolder;
  readonly #leases: LeaseClient;
  readonly #leader: LeaseLeaderElection;
  readonly #pods: PodClient;
  readonly #watched: PodInformer;
  readonly #events: KubeEventRecorder;
  readonly #finished: PodGarbageCollector;
  readonly #progress: PodStartTimes;
  readonly #listeners = new Set<(exit: WorkerExit) => void>();
  /** Pods whose end was told, by uid. */
  readonly #told = new Set<string>();
  /** Pods that were on a lost machine when their record was removed, by uid. */
  readonly #discarded = new Set<string>();
  readonly #closed = new AbortController();
  #owner: KubeLease | null = null;
  /** A write has had no answer: what exists is to be listed anew. */
  #inDoubt = false;

  constructor(options: KubernetesDriverOptions) {
    const { connection, namespace, lease, identity, templates, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#templates = new PodTemplateFolder(templates, clock);
    this.#leases = new LeaseClient(connection, namespace, lease);
    this.#leader = new LeaseLeaderElection({ leases: this.#leases, identity, log, clock });
    this.#pods = new PodClient(connection, namespace, WORKER_LABELS);
    this.#events = new KubeEventRecorder({
      connection,
      namespace,
      component: 'pilothouse-fleet',
      instance: identity,
      log,
      clock,
    });
    this.#finished = new PodGarbageCollector(this.#pods, clock, log);
    this.#progress = new PodStartTimes(clock);
    this.#watched = new PodInformer({ pods: this.#pods, log, clock });
    this.#watched.onChange((change) => this.#changed(change));
  }

  /** Leads by the Lease, and sees then all that the leader before it made. */
  async lead(signal: AbortSignal): Promise<Leadership> {
    const lead = await this.#leader.lead(signal);
    try {
      const leading = AbortSignal.any([signal, lead.lost]);
      this.#owner = await this.#leases.read(leading);
      await this.#watched.refresh(AbortSignal.any([leading, AbortSignal.timeout(30_000)]));
      return lead;
    } catch (error) {
      await lead.release();
      throw error;
    }
  }

  async list({ signal }: Context): Promise<readonly DriverWorker[]> {
    if (this.#inDoubt) {
      await this.#watched.refresh(signal);
      this.#inDoubt = false;
    }
    const own = [...this.#watched.current.values()].filter((pod) => this.#isOwn(pod));
    this.#finished.collect(own.filter(isFinished), this.#closed.signal);
    const now = this.#clock.now().getTime();
    return own.filter((pod) => !isFinished(pod)).map((pod) => this.#worker(pod, now));
  }

  async create({ fleet }: WorkerPlan, name: string, { signal }: Context): Promise<void> {
    const template = this.#templates.of(fleet);
    this.#owner ??= await this.#leases.read(signal);
    this.#progress.expect(name);
    try {
      this.#watched.put(await this.#pods.create(podManifest(template, fleet, name, this.#owner), signal));
      this.#progress.created(name);
    } catch (error) {
      // The answer to a first try was lost: names are never used again, so it is this one.
      if (hasStatus(error, 409) && error.reason === 'AlreadyExists') return;
      this.#progress.gone(name);
      if (!(error instanceof KubeError) || error.status === 0) this.#inDoubt = true;
      throw refusal(error, fleet);
    }
  }

  async stop(name: string, { signal }: Context): Promise<void> {
    await this.#remove(name, signal);
  }

  async discard(name: string, { signal }: Context): Promise<void> {
    const pod = this.#watched.current.get(name);
    if (pod) this.#discarded.add(pod.metadata.uid);
    await this.#remove(name, signal, 0);
  }

  async guard(name: string, guarded: boolean, { signal }: Context): Promise<void> {
    await this.#pods.annotate(name, evictionAnnotations(guarded), signal).catch((error: unknown) => {
      if (!hasStatus(error, 404)) throw error;
    });
  }

  template(fleet: string): string | undefined {
    try {
      return this.#templates.of(fleet).hash;
    } catch {
      // `create` says what is wrong with it.
      return undefined;
    }
  }

  tell(fleet: string, { reason, message }: WorkerIssue): void {
    if (!this.#owner) return;
    const subject = { ...this.#owner, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    void this.#events.warn(subject, `${fleet} ${reason}`, reason, `Fleet ${fleet}: ${message}`, this.#closed.signal);
  }

  onExit(listener: (exit: WorkerExit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Leaves the pods as they are: they work on, and the next controller finds them. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#watched.close();
    await this.#finished.settled();
    this.#options.connection.close();
  }

  #isOwn(pod: Pod): boolean {
    return isOwnedByLease(pod, this.#options.lease);
  }

  #worker(pod: Pod, now: number): DriverWorker {
    const { name, creationTimestamp, deletionTimestamp } = pod.metadata;
    const lost = isOnLostNode(pod, now);
    const trouble = lost
      ? { reason: 'NodeLost' as const, message: `its node ${pod.spec.nodeName ?? ''} does not answer` }
      : podProblem(pod);
    return {
      name,
      fleet: podFleet(pod),
      state: deletionTimestamp === undefined ? 'running' : 'stopping',
      startedAt: Date.parse(creationTimestamp),
      guarded: isEvictionProtected(pod),
      template: podTemplateName(pod),
      progress: this.#progress.of(name),
      ...(lost && { lost }),
      ...(trouble && deletionTimestamp === undefined && { trouble }),
      ...(trouble && lost && { trouble }),
    };
  }

  #changed({ pod, gone }: PodChange): void {
    if (!this.#isOwn(pod)) return;
    const { uid, name } = pod.metadata;
    if (gone) this.#progress.gone(name);
    else this.#progress.seen(pod);
    if (!gone && !isFinished(pod)) return;
    const told = this.#told.has(uid);
    if (gone) this.#told.delete(uid);
    else this.#told.add(uid);
    if (told) return;
    const lost = this.#discarded.delete(uid) || isOnLostNode(pod, this.#clock.now().getTime());
    const exit = { name, fleet: podFleet(pod), ...podTermination(pod, { gone, lost }) };
    for (const listener of this.#listeners) listener(exit);
  }

  async #remove(name: string, signal: AbortSignal, graceSeconds?: number): Promise<void> {
    const pod = this.#watched.current.get(name);
    if (!pod || !this.#isOwn(pod)) return;
    await this.#pods.remove(name, pod.metadata.uid, signal, graceSeconds).catch((error: unknown) => {
      if (!hasStatus(error, 404, 409)) throw error;
    });
  }
}

/** Why the API server made no pod, by name where it has one. The API has no reason of its own for a quota. */
function refusal(error: unknown, fleet: string): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.status === 403 && error.message.includes('exceeded quota')) {
    return new CreateError('QuotaExceeded', error.message);
  }
  if (error.status === 422 || error.status === 400) {
    return new CreateError('CreateFailed', `The pod template of fleet ${fleet} is refused: ${error.message}`);
  }
  return new CreateError('CreateFailed', error.message);
}
