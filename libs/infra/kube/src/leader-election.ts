import type { KubeClient } from './kube-client.ts';
import type { ObjectMeta } from './kube-pod.ts';
import {
  systemClock,
  type Clock,
  type Leadership,
  type LeaderElection,
  type Log,
  sleep,
  systemTimers,
} from '@pilothouse/core';
import { hasStatus, KubeError } from './kube-error.ts';

/** A `coordination.k8s.io/v1` Lease. */
export interface KubeLease {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: KubeLeaseSpec;
}

export interface KubeLeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** One Lease, which somebody else made. */
export class LeaseClient {
  readonly #connection: KubeClient;
  readonly #path: string;
  readonly name: string;
  readonly namespace: string;

  constructor(connection: KubeClient, namespace: string, name: string) {
    this.#connection = connection;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
    this.name = name;
    this.namespace = namespace;
  }

  /** @throws KubeError 404 where there is none */
  read(signal: AbortSignal, timeoutMs?: number): Promise<KubeLease> {
    return this.#connection.call({ verb: 'get', path: this.#path, signal, timeoutMs });
  }

  /** Writes another spec, if nobody has written since it was read. @throws KubeError 409 where somebody has */
  write(lease: KubeLease, spec: KubeLeaseSpec, signal: AbortSignal, timeoutMs?: number): Promise<KubeLease> {
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease.metadata, spec };
    return this.#connection.call({ verb: 'update', path: this.#path, body, signal, timeoutMs });
  }
}

export interface LeaseLeaderElectionDeps {
  readonly leases: Pick<LeaseClient, 'read' | 'write' | 'name' | 'namespace'>;
  /** Who this is, e.g. the name of its pod. */
  readonly identity: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** A holder that has not renewed for so long is passed over, in milliseconds. */
  readonly durationMs?: number;
  /** A holder that could not renew for so long stops acting, in milliseconds; shorter than `durationMs`. */
  readonly deadlineMs?: number;
  /** Time between two renewals, or two looks, in milliseconds. */
  readonly everyMs?: number;
}

/** A time for a timer, which takes whole milliseconds alone and throws at others: `monotonic` counts parts of them. */
const wholeMs = (ms: number) => Math.max(1, Math.floor(ms));

/**
 * Lets one controller act at a time, by a Lease. Times are measured by each one's own clock from what it saw, so that clocks need not agree:
 * who waits counts from the moment it saw the last renewal, who holds counts from before it sent one.
 */
export class LeaseLeaderElection implements LeaderElection {
  readonly #options: LeaseLeaderElectionDeps;
  readonly #clock: Clock;
  readonly #durationMs: number;
  readonly #deadlineMs: number;
  readonly #everyMs: number;

  constructor(options: LeaseLeaderElectionDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#durationMs = options.durationMs ?? 15_000;
    this.#deadlineMs = options.deadlineMs ?? 10_000;
    this.#everyMs = options.everyMs ?? 2_000;
  }

  /** @throws KubeError where the Lease is missing or may not be used; while the API is away it is waited for */
  async lead(signal: AbortSignal): Promise<Leadership> {
    let seen = { version: '', at: this.#clock.monotonic() };
    for (;;) {
      signal.throwIfAborted();
      const begun = this.#clock.monotonic();
      const lease = await this.#read(signal);
      if (lease) {
        const version = `${lease.spec?.holderIdentity} ${lease.spec?.renewTime} ${lease.spec?.leaseTransitions}`;
        if (seen.version !== version) seen = { version, at: this.#clock.monotonic() };
        const over = begun - seen.at >= this.#durationMs;
        const taken = this.#isFree(lease) || over ? await this.#take(lease, signal) : null;
        if (taken) return this.#hold(taken, begun, signal);
      }
      await sleep(this.#everyMs, signal);
    }
  }

  #isFree({ spec }: KubeLease): boolean {
    return !spec?.holderIdentity || spec.holderIdentity === this.#options.identity;
  }

  /** The Lease, or null while the API is away. */
  async #read(signal: AbortSignal): Promise<KubeLease | null> {
    const { leases, log } = this.#options;
    try {
      return await leases.read(signal);
    } catch (error) {
      if (hasStatus(error, 404)) {
        const where = `${leases.name} in the namespace ${leases.namespace}`;
        throw new KubeError(404, 'NotFound', `There is no Lease ${where}: the chart makes it`, { cause: error });
      }
      if (!hasStatus(error, 0, 429, 500, 502, 503, 504)) throw error;
      log.debug({ error: error.message }, 'The Lease cannot be read');
      return null;
    }
  }

  async #take(lease: KubeLease, signal: AbortSignal): Promise<KubeLease | null> {
    const now = microTime(this.#clock.now());
    const transitions = lease.spec?.leaseTransitions ?? 0;
    const spec: KubeLeaseSpec = {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#durationMs / 1000),
      acquireTime: now,
      renewTime: now,
      leaseTransitions: lease.spec?.holderIdentity === this.#options.identity ? transitions : transitions + 1,
    };
    return this.#options.leases.write(lease, spec, signal).catch((error: unknown) => {
      // Another was faster, or nobody knows: look again.
      if (hasStatus(error, 0, 409, 429, 500, 502, 503, 504)) return null;
      throw error;
    });
  }

  /** Renews until it is released, or could not for too long. @param since when what is held was asked for, by `monotonic` */
  #hold(taken: KubeLease, since: number, signal: AbortSignal): Leadership {
    const lost = new AbortController();
    const released = new AbortController();
    const ends = AbortSignal.any([signal, released.signal, lost.signal]);
    let lease = taken;
    let renewedAt = since;
    const left = () => renewedAt + this.#deadlineMs - this.#clock.monotonic();
    const lose = (why: string) => lost.abort(new KubeError(0, 'LeaseLost', why));
    // Its own clock: a request that hangs must not hold it up.
    let alarm = systemTimers.setTimeout(() => lose('The Lease could not be renewed'), left());

    const renew = async () => {
      while (!ends.aborted) {
        await sleep(this.#everyMs, ends);
        if (ends.aborted) return;
        const begun = this.#clock.monotonic();
        try {
          lease = await this.#renew(lease, ends, wholeMs(Math.min(left(), 2 * this.#everyMs)));
          renewedAt = begun;
          systemTimers.clearTimeout(alarm);
          alarm = systemTimers.setTimeout(() => lose('The Lease could not be renewed'), left());
        } catch (error) {
          if (ends.aborted) return;
          if (hasStatus(error, 404, 409)) return lose(error.message);
          this.#options.log.warn({ error: String(error) }, 'The Lease could not be renewed');
        }
      }
    };
    const renewing = renew().finally(() => systemTimers.clearTimeout(alarm));
    return {
      lost: lost.signal,
      release: async () => {
        released.abort();
        await renewing;
        if (!lost.signal.aborted) await this.#release(lease);
      },
    };
  }

  /** @throws KubeError 409 where another holds it */
  async #renew(lease: KubeLease, signal: AbortSignal, timeoutMs: number): Promise<KubeLease> {
    const spec = { ...lease.spec, renewTime: microTime(this.#clock.now()) };
    try {
      return await this.#options.leases.write(lease, spec, signal, timeoutMs);
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
      // Somebody wrote: perhaps only its labels, or our own answer was lost.
      const now = await this.#options.leases.read(signal, timeoutMs);
      const { holderIdentity } = now.spec ?? {};
      if (holderIdentity !== this.#options.identity) {
        throw new KubeError(409, 'Conflict', `The Lease went to ${holderIdentity || 'nobody'}`);
      }
      return this.#options.leases.write(now, { ...now.spec, renewTime: spec.renewTime }, signal, timeoutMs);
    }
  }

  /** Lets the next one in at once. */
  async #release(lease: KubeLease): Promise<void> {
    const spec = { ...lease.spec, holderIdentity: '', renewTime: microTime(this.#clock.now()) };
    await this.#options.leases.write(lease, spec, AbortSignal.timeout(2_000)).catch((error: unknown) => {
      this.#options.log.debug({ error: String(error) }, 'The Lease was not given back; it runs out');
    });
  }
}

/** As a Lease has it: with microseconds. */
const microTime = (at: Date) => at.toISOString().replace('Z', '000Z');
