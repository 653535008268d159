import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { KubeList, Pod, WatchLine } from './kube-pod.ts';

/** Pods of one page of a list. */
const PAGE = 500;

/** Milliseconds for one page of a list. */
const PAGE_MS = 20_000;

/** Seconds after which the server ends a watch: until then a watch that is silent may be one that nobody serves any more. */
const WATCH_SECONDS = 15;

/** The pods of one namespace that carry certain labels. */
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

  /** All of them, as they are now. @returns them with the version from which a watch goes on */
  async list(signal: AbortSignal): Promise<{ pods: Pod[]; version: string }> {
    const pods: Pod[] = [];
    let next: string | undefined;
    for (;;) {
      const query = { labelSelector: this.#labelSelector, limit: String(PAGE), continue: next };
      const page: KubeList<Pod> = await this.#connection.call({
        verb: 'list',
        path: this.#path,
        query,
        signal,
        timeoutMs: PAGE_MS,
      });
      pods.push(...page.items);
      next = page.metadata.continue;
      if (!next) return { pods, version: page.metadata.resourceVersion };
    }
  }

  /**
   * What happens to them after a version, until the server ends the watch, which it does after a quarter of a minute.
   * @param begun called when the server has taken the watch
   * @throws KubeError 410 where the version is too old: list again
   */
  async *watch(version: string, signal: AbortSignal, begun: () => void): AsyncGenerator<WatchLine<Pod>> {
    const query = {
      labelSelector: this.#labelSelector,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(WATCH_SECONDS),
    };
    const deadline = AbortSignal.timeout((WATCH_SECONDS + 3) * 1000);
    const either = AbortSignal.any([signal, deadline]);
    try {
      yield* this.#connection.lines<WatchLine<Pod>>({ verb: 'watch', path: this.#path, query, signal: either }, begun);
    } catch (error) {
      if (signal.aborted || !deadline.aborted) throw error;
      throw new KubeError(0, 'Away', 'The Kubernetes API went silent in the middle of a watch');
    }
  }

  /** @throws KubeError 409 AlreadyExists; 403 where a quota or a policy is in the way; 0 where nobody knows whether it was made */
  create(manifest: object, signal: AbortSignal): Promise<Pod> {
    return this.#connection.call({ verb: 'create', path: this.#path, body: manifest, signal, timeoutMs: 8_000 });
  }

  /**
   * Tells a pod to go. @param uid of the very pod that is meant
   * @param graceSeconds left out: its own; 0: its record is removed at once, whatever its machine says
   * @throws KubeError 404 where it is gone, 409 where another has its name
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

  /** Sets annotations; null removes one. @throws KubeError 404 where the pod is gone */
  annotate(name: string, annotations: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<Pod> {
    const body = { metadata: { annotations } };
    return this.#connection.call({ verb: 'patch', path: `${this.#path}/${name}`, body, signal });
  }
}
