import type { KubeClient } from './kube-client.ts';
import type { ObjectMeta } from './kube-pod.ts';
import type { Leadership, LeaderElection } from '@pilothouse/core/ports/fleet-state.port';
import { systemClock, type Clock, type Log } from '@pilothouse/core/ports/runtime.port';
import { sleep, systemTimers } from '@pilothouse/core/time/timers';
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

/** Reads and writes one existing Lease. */
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

  /** @throws KubeError 404 if it does not exist */
  read(signal: AbortSignal, timeoutMs?: number): Promise<KubeLease> {
    return this.#connection.call({ verb: 'get', path: this.#path, signal, timeoutMs });
  }

  /** Replaces the spec. @throws KubeError 409 if the Lease changed since it was read */
  write(lease: KubeLease, spec: KubeLeaseSpec, signal: AbortSignal, timeoutMs?: number): Promise<KubeLease> {
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease.metadata, spec };
    return this.#connection.call({ verb: 'update', path: this.#path, body, signal, timeoutMs });
  }
}

export interface LeaseLeaderElectionDeps {
  readonly leases: Pick<LeaseClient, 'read' | 'write' | 'name' | 'namespace'>;
  /** Identity of this candidate, e.g. its pod name. */
  readonly identity: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** Milliseconds without a renewal after which another candidate may acquire the Lease. */
  readonly durationMs?: number;
  /** Milliseconds without a successful renewal after which the holder stops acting. Shorter than `durationMs`. */
  readonly deadlineMs?: number;
  /** Time between two renewals or two attempts to acquire, in milliseconds. */
  readonly renewIntervalMs?: number;
}

/** Rounds to whole milliseconds: `AbortSignal.timeout` rejects fractions, and `monotonic` has them. */
const timerMs = (ms: number) => Math.max(1, Math.floor(ms));

/**
 * Elects one leader through a Lease. Clocks need not agree, because each process measures durations with its own clock.
 * A candidate counts from the moment it observed the last renewal, the holder from the moment before it sent one.
 */
export class LeaseLeaderElection implements LeaderElection {
  readonly #options: LeaseLeaderElectionDeps;
  readonly #clock: Clock;
  readonly #durationMs: number;
  readonly #deadlineMs: number;
  readonly #renewIntervalMs: number;

  constructor(options: LeaseLeaderElectionDeps) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#durationMs = options.durationMs ?? 15_000;
    this.#deadlineMs = options.deadlineMs ?? 10_000;
    this.#renewIntervalMs = options.renewIntervalMs ?? 2_000;
  }

  /** Waits during API outages. @throws KubeError if the Lease is missing or access is denied */
  async lead(signal: AbortSignal): Promise<Leadership> {
    let observed = { version: '', at: this.#clock.monotonic() };
    for (;;) {
      signal.throwIfAborted();
      const readAt = this.#clock.monotonic();
      const lease = await this.#readLease(signal);
      if (lease) {
        const version = `${lease.spec?.holderIdentity} ${lease.spec?.renewTime} ${lease.spec?.leaseTransitions}`;
        if (observed.version !== version) observed = { version, at: this.#clock.monotonic() };
        const isExpired = readAt - observed.at >= this.#durationMs;
        const acquired = this.#isFree(lease) || isExpired ? await this.#acquire(lease, signal) : null;
        if (acquired) return this.#startRenewal(acquired, readAt, signal);
      }
      await sleep(this.#renewIntervalMs, signal);
    }
  }

  #isFree({ spec }: KubeLease): boolean {
    return !spec?.holderIdentity || spec.holderIdentity === this.#options.identity;
  }

  /** Returns null while the API is unavailable. */
  async #readLease(signal: AbortSignal): Promise<KubeLease | null> {
    const { leases, log } = this.#options;
    try {
      return await leases.read(signal);
    } catch (error) {
      if (hasStatus(error, 404)) {
        const leaseName = `${leases.name} in the namespace ${leases.namespace}`;
        throw new KubeError(404, 'NotFound', `Lease ${leaseName} not found: the chart creates it`, { cause: error });
      }
      if (!hasStatus(error, 0, 429, 500, 502, 503, 504)) throw error;
      log.debug({ error: error.message }, 'Lease not readable');
      return null;
    }
  }

  async #acquire(lease: KubeLease, signal: AbortSignal): Promise<KubeLease | null> {
    const current = microTime(this.#clock.now());
    const transitions = lease.spec?.leaseTransitions ?? 0;
    const spec: KubeLeaseSpec = {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#durationMs / 1000),
      acquireTime: current,
      renewTime: current,
      leaseTransitions: lease.spec?.holderIdentity === this.#options.identity ? transitions : transitions + 1,
    };
    return this.#options.leases.write(lease, spec, signal).catch((error: unknown) => {
      // Another candidate acquired it, or the result is unknown: read again.
      if (hasStatus(error, 0, 409, 429, 500, 502, 503, 504)) return null;
      throw error;
    });
  }

  /** Renews until release or until the deadline without a renewal. @param since time of the acquiring request, by `monotonic` */
  #startRenewal(acquired: KubeLease, since: number, signal: AbortSignal): Leadership {
    const lost = new AbortController();
    const released = new AbortController();
    const endSignal = AbortSignal.any([signal, released.signal, lost.signal]);
    let lease = acquired;
    let renewedAt = since;
    const remainingMs = () => renewedAt + this.#deadlineMs - this.#clock.monotonic();
    const markLost = (message: string) => lost.abort(new KubeError(0, 'LeaseLost', message));
    // A separate timer: a hanging request must not delay it.
    let deadlineTimer = systemTimers.setTimeout(() => markLost('Lease renewal failed'), remainingMs());

    const renew = async () => {
      while (!endSignal.aborted) {
        await sleep(this.#renewIntervalMs, endSignal);
        if (endSignal.aborted) return;
        const readAt = this.#clock.monotonic();
        try {
          lease = await this.#renew(lease, endSignal, timerMs(Math.min(remainingMs(), 2 * this.#renewIntervalMs)));
          renewedAt = readAt;
          systemTimers.clearTimeout(deadlineTimer);
          deadlineTimer = systemTimers.setTimeout(() => markLost('Lease renewal failed'), remainingMs());
        } catch (error) {
          if (endSignal.aborted) return;
          if (hasStatus(error, 404, 409)) return markLost(error.message);
          this.#options.log.warn({ error: String(error) }, 'Lease renewal failed');
        }
      }
    };
    const renewLoop = renew().finally(() => systemTimers.clearTimeout(deadlineTimer));
    return {
      lossSignal: lost.signal,
      release: async () => {
        released.abort();
        await renewLoop;
        if (!lost.signal.aborted) await this.#release(lease);
      },
    };
  }

  /** @throws KubeError 409 if another candidate holds the Lease */
  async #renew(lease: KubeLease, signal: AbortSignal, timeoutMs: number): Promise<KubeLease> {
    const spec = { ...lease.spec, renewTime: microTime(this.#clock.now()) };
    try {
      return await this.#options.leases.write(lease, spec, signal, timeoutMs);
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
      // The Lease changed: its labels, or the response to our own renewal was lost.
      const current = await this.#options.leases.read(signal, timeoutMs);
      const { holderIdentity } = current.spec ?? {};
      if (holderIdentity !== this.#options.identity) {
        throw new KubeError(409, 'Conflict', `The Lease is held by ${holderIdentity || 'no one'}`);
      }
      return this.#options.leases.write(current, { ...current.spec, renewTime: spec.renewTime }, signal, timeoutMs);
    }
  }

  /** Clears the holder, so that the next candidate acquires the Lease at once. */
  async #release(lease: KubeLease): Promise<void> {
    const spec = { ...lease.spec, holderIdentity: '', renewTime: microTime(this.#clock.now()) };
    await this.#options.leases.write(lease, spec, AbortSignal.timeout(2_000)).catch((error: unknown) => {
      this.#options.log.debug({ error: String(error) }, 'Lease not released, it will expire');
    });
  }
}

/** Formats a time with microseconds, as Leases require. */
const microTime = (time: Date) => time.toISOString().replace('Z', '000Z');
