import type { KubeClient } from './connection.ts';
import type { ObjectMeta } from './object.ts';

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
