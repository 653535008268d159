import { hasStatus } from './kube-error.ts';
import type { KubeClient } from './kube-client.ts';
import type { Pod } from './kube-pod.ts';

/** Creates Secrets of pods. It can neither read nor list Secrets, and needs no right to. */
export class PodSecretClient {
  readonly #connection: Pick<KubeClient, 'call'>;
  readonly #path: string;

  constructor(connection: Pick<KubeClient, 'call'>, namespace: string) {
    this.#connection = connection;
    this.#path = `/api/v1/namespaces/${namespace}/secrets`;
  }

  /**
   * Creates the Secret of a pod, with its name. The pod owns it, so it is deleted with the pod. An existing one is the result of an earlier
   * attempt: names of pods are unique.
   * @throws KubeError 403 by a policy or a missing right; 0 if the result is unknown
   */
  async create({ metadata: { name, uid, labels } }: Pod, data: Readonly<Record<string, string>>, signal: AbortSignal) {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }];
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels, ownerReferences },
      immutable: true,
      stringData: data,
    };
    try {
      await this.#connection.call({ verb: 'create', path: this.#path, body, signal, timeoutMs: 8_000 });
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
    }
  }
}
