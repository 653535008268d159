import type { TrainerKind } from '@pilothouse/contract/learning/trainer.schema';
import type { KubeClient } from '../kube-client.ts';
import { hasStatus } from '../kube-error.ts';
import type { KubeList, Pod } from '../kube-pod.ts';
import { sortTrainerPods } from './trainer-pod.ts';
import { trainerApis } from './trainer-manifest.ts';
import type { TrainerObject } from './trainer-state.ts';

/** Pods of a tuning job that are read. */
const MAX_PODS = 50;

/** Lines and bytes of a log that are read. */
const MAX_LOG_LINES = 2_000;
const MAX_LOG_BYTES = 1024 * 1024;

const TIMEOUT_MS = 20_000;

/** Requests for the Jobs or TrainJobs of one namespace. */
export class TrainerClient {
  readonly #connection: KubeClient;
  readonly #path: string;
  readonly #pods: string;
  readonly #podLabel: string;

  constructor(connection: KubeClient, namespace: string, kind: TrainerKind) {
    const { path, plural, podLabel } = trainerApis[kind];
    this.#connection = connection;
    this.#path = `${path}/namespaces/${namespace}/${plural}`;
    this.#pods = `/api/v1/namespaces/${namespace}/pods`;
    this.#podLabel = podLabel;
  }

  /** @returns null if it does not exist @throws KubeError */
  find(name: string, signal: AbortSignal): Promise<TrainerObject | null> {
    return orNull(this.#connection.call({ verb: 'get', path: `${this.#path}/${name}`, signal, timeoutMs: TIMEOUT_MS }));
  }

  /** @throws KubeError 409 AlreadyExists; 404 without the API; 422 for an invalid template; 0 if the result is unknown */
  create(manifest: object, signal: AbortSignal): Promise<TrainerObject> {
    return this.#connection.call({ verb: 'create', path: this.#path, body: manifest, signal, timeoutMs: TIMEOUT_MS });
  }

  /** Deletes it with its pods. Without effect if it does not exist. @throws KubeError */
  async remove(name: string, signal: AbortSignal): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const path = `${this.#path}/${name}`;
    await orNull(this.#connection.call({ verb: 'delete', path, body, signal, timeoutMs: TIMEOUT_MS }));
  }

  /** Pods of a tuning job, that with its log first. @throws KubeError */
  async pods(name: string, signal: AbortSignal): Promise<readonly Pod[]> {
    const query = { labelSelector: `${this.#podLabel}=${name}`, limit: String(MAX_PODS) };
    const request = { verb: 'list', path: this.#pods, query, signal, timeoutMs: TIMEOUT_MS } as const;
    const { items } = await this.#connection.call<KubeList<Pod>>(request);
    return sortTrainerPods(items);
  }

  /** Last lines of the log of a pod, each after its time and a space; empty: it has no log yet. @throws KubeError */
  async log({ metadata: { name } }: Pod, container: string, signal: AbortSignal): Promise<string> {
    const query = {
      container,
      tailLines: String(MAX_LOG_LINES),
      limitBytes: String(MAX_LOG_BYTES),
      timestamps: 'true',
    };
    try {
      const path = `${this.#pods}/${name}/log`;
      return await this.#connection.text({ verb: 'get', path, query, signal, timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (hasStatus(error, 400, 404)) return '';
      throw error;
    }
  }
}

async function orNull<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (hasStatus(error, 404)) return null;
    throw error;
  }
}
