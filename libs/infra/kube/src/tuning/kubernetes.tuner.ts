import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { trainerResultSchema, type Trainer, type TrainerResult } from '@pilothouse/contract/learning/trainer.schema';
import type { Clock, Context } from '@pilothouse/core/ports/runtime.port';
import type { Tuner, TuningRequest, TuningState } from '@pilothouse/core/ports/tuner.port';
import { raceAbort } from '@pilothouse/core/time/deadlines';
import type { KubeClient } from '../kube-client.ts';
import { hasStatus, KubeError } from '../kube-error.ts';
import { trainerContainer } from './trainer-pod.ts';
import { TrainerClient } from './trainer-client.ts';
import { readTrainerLog } from './trainer-log.ts';
import { JOB_LABEL, MODEL_ANNOTATION, trainerManifest, trainerObjectName } from './trainer-manifest.ts';
import { trainerStatus, type TrainerObject } from './trainer-state.ts';

/** Results that trainers upload, by the key of the job. After an abort, the tuner stops waiting for both calls. */
export interface TrainerResults {
  /** Signed URL of a PUT. */
  uploadUrl(key: string): Promise<string>;
  /** @returns null if there is none @throws PilothouseError PAYLOAD_TOO_LARGE */
  read(key: string): Promise<string | null>;
}

export interface KubernetesTunerDeps {
  readonly connection: KubeClient;
  readonly namespace: string;
  readonly trainer: Trainer;
  readonly results: TrainerResults;
  readonly clock: Pick<Clock, 'now'>;
}

/** Tunes models with the containers of the operator: as a Job, or as a TrainJob of Kubeflow. */
export class KubernetesTuner implements Tuner {
  readonly #deps: KubernetesTunerDeps;
  readonly #client: TrainerClient;

  constructor(deps: KubernetesTunerDeps) {
    this.#deps = deps;
    this.#client = new TrainerClient(deps.connection, deps.namespace, deps.trainer.kind);
  }

  async find(key: string, { signal }: Context): Promise<string | null> {
    const name = trainerObjectName(key);
    const found = await this.#call(() => this.#client.find(name, signal));
    return found?.metadata.labels?.[JOB_LABEL] === key ? name : null;
  }

  async start(request: TuningRequest, context: Context): Promise<string> {
    const { trainer, results } = this.#deps;
    const { key } = request;
    const { signal } = context;
    const uploadUrl = await raceAbort(results.uploadUrl(key), signal);
    const manifest = trainerManifest(trainer, request, uploadUrl);
    return this.#call(async () => {
      try {
        return (await this.#client.create(manifest, signal)).metadata.name;
      } catch (error) {
        // An earlier attempt did not receive the answer.
        const found = hasStatus(error, 409) ? await this.find(key, context) : null;
        if (found === null) throw error;
        return found;
      }
    });
  }

  read(id: string, { signal }: Context): Promise<TuningState | null> {
    return this.#call(async () => {
      const found = await this.#client.find(id, signal);
      if (!found) return null;
      const pods = await this.#client.pods(id, signal);
      const [first] = pods;
      const container = first && trainerContainer(this.#deps.trainer, first);
      const text = first && container !== undefined ? await this.#client.log(first, container, signal) : '';
      const { loss, progress, messages } = readTrainerLog(text);
      const { isStuck, ...status } = trainerStatus(found, pods, this.#deps.clock.now().getTime());
      if (isStuck) await this.#client.remove(id, signal);
      const isSucceeded = status.status === 'succeeded';
      const result = isSucceeded ? await raceAbort(this.#result(found), signal) : null;
      return {
        ...{ ...status, loss, messages },
        error:
          status.error === null ? null : [status.error, ...messages.slice(-3).map(({ text: line }) => line)].join('\n'),
        model: isSucceeded ? (result?.model ?? found.metadata.annotations?.[MODEL_ANNOTATION] ?? null) : null,
        trainedTokens: result?.trainedTokens ?? null,
        progress: isSucceeded ? 1 : progress,
      };
    });
  }

  cancel(id: string, { signal }: Context): Promise<void> {
    return this.#call(() => this.#client.remove(id, signal));
  }

  /** @throws PilothouseError TUNING_FAILED if the trainer uploaded another document */
  async #result({ metadata }: TrainerObject): Promise<TrainerResult | null> {
    const text = await this.#deps.results.read(metadata.labels?.[JOB_LABEL] ?? '');
    if (text === null) return null;
    const parsed = trainerResultSchema.safeParse(parse(text));
    if (parsed.success) return parsed.data;
    throw new PilothouseError(
      'TUNING_FAILED',
      'The trainer uploaded an invalid result. Upload JSON such as {"model": "name"} to PILOTHOUSE_RESULT_URL.',
    );
  }

  async #call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof KubeError) throw this.#explain(error);
      throw error;
    }
  }

  #explain(cause: KubeError): PilothouseError {
    const { status, message } = cause;
    const { name, kind } = this.#deps.trainer;
    if (status === 0 || status === 429 || status >= 500)
      return new PilothouseError('MODEL_UNAVAILABLE', `Kubernetes is not available: ${message}`, { cause });
    if (status === 404)
      return new PilothouseError(
        'MODEL_NOT_CONFIGURED',
        `Kubernetes has no ${kind}: install its controller, or change the trainer ${name}.`,
        { cause },
      );
    if (status === 401 || status === 403)
      return new PilothouseError(
        'MODEL_NOT_CONFIGURED',
        `The job runner has no permission to create the ${kind} of trainer ${name}: ${message}. Check the Role of the job runner.`,
        { cause },
      );
    return new PilothouseError(
      'TUNING_FAILED',
      `Kubernetes rejected the ${kind} of trainer ${name}: ${message}. Correct the template.`,
      { cause },
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
