import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_TRAINER_RESULT_BYTES } from '@pilothouse/contract/learning/trainer.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import type { Tuner } from '@pilothouse/core/ports/tuner.port';
import { createObjectLinks, type ObjectLinks } from '@pilothouse/infra-blob';
import type { JobsConfig, TrainersConfig } from '@pilothouse/infra-config';
import { KubeClient, KubernetesTuner, MAX_TRAINER_SECONDS } from '@pilothouse/infra-kube';
import { findObject } from '../datasets/dataset-objects.ts';

const resultKey = (job: string): string => `tuning/${job}/result.json`;

/** Trainers of the installation, which run in Kubernetes. */
export class KubernetesTrainers {
  readonly #config: TrainersConfig;
  readonly #connection: KubeClient;
  readonly #links: ObjectLinks;
  readonly #objects: BlobStore;

  private constructor(config: TrainersConfig, connection: KubeClient, links: ObjectLinks, objects: BlobStore) {
    this.#config = config;
    this.#connection = connection;
    this.#links = links;
    this.#objects = objects;
  }

  /** @returns null without trainers @throws Error if no Kubernetes API is configured */
  static async open({ trainers, objectStore }: JobsConfig, objects: BlobStore): Promise<KubernetesTrainers | null> {
    if (!trainers || objectStore.kind !== 's3') return null;
    const connection = await KubeClient.open(trainers.kubeconfig);
    return new KubernetesTrainers(trainers, connection, createObjectLinks(objectStore), objects);
  }

  /** @throws PilothouseError MODEL_NOT_CONFIGURED for an unknown name */
  tuner(name: string): Tuner {
    const { trainers, namespace } = this.#config;
    const trainer = trainers.find((candidate) => candidate.name === name);
    if (!trainer) throw trainerNotFound(name, trainers);
    return new KubernetesTuner({
      ...{ connection: this.#connection, namespace, trainer, clock: systemClock },
      results: {
        uploadUrl: (job) => this.#links.upload(resultKey(job), MAX_TRAINER_SECONDS),
        read: async (job) =>
          (await findObject(this.#objects, resultKey(job), MAX_TRAINER_RESULT_BYTES))?.toString() ?? null,
      },
    });
  }

  /** Signed URL of an object for a trainer. */
  downloadUrl(key: string): Promise<string> {
    return this.#links.download(key, MAX_TRAINER_SECONDS);
  }

  /** Deletes the result of a job. */
  async deleteResult(job: string): Promise<void> {
    await this.#objects.delete([resultKey(job)]);
  }

  close(): void {
    this.#connection.close();
  }
}

export const trainerNotFound = (name: string, trainers: readonly { readonly name: string }[]): PilothouseError =>
  new PilothouseError(
    'MODEL_NOT_CONFIGURED',
    `The job runner has no trainer ${name}. Configured: ${trainers.map((trainer) => trainer.name).join(', ') || 'none'}.`,
  );
