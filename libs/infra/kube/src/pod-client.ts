import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { KubeList, Pod, WatchLine } from './kube-pod.ts';

const PAGE_SIZE = 500;

const PAGE_TIMEOUT_MS = 20_000;

/** Seconds until the server ends a watch. Limits how long a broken, silent watch goes unnoticed. */
const WATCH_SECONDS = 15;

/** Requests for the pods of one namespace with given labels. */
export class PodClient {
  readonly #connection: KubeClient;
  readonly #path: string;
  readonly #labelSelector: string;

  constructor(connection: KubeClient, namespace: string, labels: Readonly<Record<string, string>>) {
    this.#connection = connection;
    this.#path = `/api/v1/namespaces/${namespace}/pods`;
    this.#labelSelector = Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
  }

  /** Lists all pods. @returns the pods and the resource version to watch from */
  async list(signal: AbortSignal): Promise<{ pods: Pod[]; version: string }> {
    const pods: Pod[] = [];
    let next: string | undefined;
    for (;;) {
      const query = { labelSelector: this.#labelSelector, limit: String(PAGE_SIZE), continue: next };
      const page: KubeList<Pod> = await this.#connection.call({
        verb: 'list',
        path: this.#path,
        query,
        signal,
        timeoutMs: PAGE_TIMEOUT_MS,
      });
      pods.push(...page.items);
      next = page.metadata.continue;
      if (!next) return { pods, version: page.metadata.resourceVersion };
    }
  }

  /**
   * Yields changes after a resource version until the server ends the watch, after 15 s.
   * @param onOpen called when the server has accepted the watch
   * @throws KubeError 410 if the version is too old: list again
   */
  async *watch(version: string, signal: AbortSignal, onOpen: () => void): AsyncGenerator<WatchLine<Pod>> {
    const query = {
      labelSelector: this.#labelSelector,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(WATCH_SECONDS),
    };
    const deadline = AbortSignal.timeout((WATCH_SECONDS + 3) * 1000);
    const combinedSignal = AbortSignal.any([signal, deadline]);
    try {
      yield* this.#connection.lines<WatchLine<Pod>>(
        { verb: 'watch', path: this.#path, query, signal: combinedSignal },
        onOpen,
      );
    } catch (error) {
      if (signal.aborted || !deadline.aborted) throw error;
      throw new KubeError(0, 'Unavailable', 'The Kubernetes API sent no data during a watch');
    }
  }

  /** @throws KubeError 409 AlreadyExists; 403 by a quota or a policy; 0 if the result is unknown */
  create(manifest: object, signal: AbortSignal): Promise<Pod> {
    return this.#connection.call({ verb: 'create', path: this.#path, body: manifest, signal, timeoutMs: 8_000 });
  }

  /** @throws KubeError 404 if the pod does not exist */
  read(name: string, signal: AbortSignal): Promise<Pod> {
    return this.#connection.call({ verb: 'get', path: `${this.#path}/${name}`, signal, timeoutMs: 8_000 });
  }

  /**
   * Deletes a pod. @param uid precondition: the uid of the pod
   * @param graceSeconds default: the pod's own; 0: removes the object at once, without confirmation by its node
   * @throws KubeError 404 if it does not exist, 409 if another pod has its name
   */
  async remove(name: string, uid: string, signal: AbortSignal, graceSeconds?: number): Promise<void> {
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid },
      ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
    };
    await this.#connection.call({ verb: 'delete', path: `${this.#path}/${name}`, body, signal });
  }

  /** Sets annotations. Null removes one. @throws KubeError 404 if the pod does not exist */
  annotate(name: string, annotations: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<Pod> {
    const body = { metadata: { annotations } };
    return this.#connection.call({ verb: 'patch', path: `${this.#path}/${name}`, body, signal });
  }
}
