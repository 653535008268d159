import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { StartEvaluation } from '@pilothouse/contract/learning/offline-evaluation.schema';
import { modelNameSchema } from '@pilothouse/contract/model/model-settings.schema';
import { canonicalJson } from '@pilothouse/core/learning/dataset/canonical-json';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { DatasetStore, JobStore, RegistryStore } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { MODELS_CONFIG } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { validationError } from '../http/request-validation.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { runModelProblems } from '../models/models-view.ts';

/** Starts jobs that compare the answers of models with labels. */
export class EvaluationsService {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(DatasetStore) private readonly datasets: Pick<DatasetStore, 'read'>,
    @Inject(RegistryStore) private readonly registry: Pick<RegistryStore, 'exists'>,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  /**
   * Starts a job, or returns the one that an earlier request with the same key started.
   * @throws PilothouseError VALIDATION_FAILED for an unknown model, dataset or part; CONFLICT when the dataset is not ready;
   * IDEMPOTENCY_MISMATCH
   */
  async start(caller: Caller, { budgetUsd, ...params }: StartEvaluation, dedupeKey?: string): Promise<Job> {
    const { id: project } = caller.project;
    await this.requireModel(project, params.model);
    await this.requireExamples(project, params);
    const createdBy = actorFrom(caller);
    const { id, isNew } = await this.jobs.insert({
      ...{ id: newId(), project, kind: 'evaluate', params },
      ...(dedupeKey !== undefined && { dedupeKey }),
      ...(budgetUsd !== undefined && { budgetUsd }),
      ...(createdBy && { createdBy }),
    });
    const job = await this.jobs.read(project, id);
    if (!job) throw new PilothouseError('GONE', `Job ${id} was deleted.`);
    const isSame = job.budgetUsd === (budgetUsd ?? null) && canonicalJson(job.params) === canonicalJson(params);
    if (!isNew && !isSame)
      throw new PilothouseError(
        'IDEMPOTENCY_MISMATCH',
        'This `Idempotency-Key` was used for another request. Use a new key for a new request.',
      );
    void this.queue.wake([id]);
    return job;
  }

  private async requireModel(project: string, name: string): Promise<void> {
    const isFullName = modelNameSchema.safeParse(name).success;
    const problems = isFullName
      ? runModelProblems(name, this.models)
      : (await this.registry.exists(project, name))
        ? []
        : [{ pointer: '/model', detail: `The registry has no model ${name}. Register it, or use endpoint/model.` }];
    if (problems.length > 0) throw validationError('body', problems);
  }

  private async requireExamples(
    project: string,
    { dataset: id, split }: Pick<StartEvaluation, 'dataset' | 'split'>,
  ): Promise<void> {
    const dataset = await this.datasets.read(project, id);
    if (!dataset) throw validationError('body', [{ pointer: '/dataset', detail: `Dataset ${id} not found.` }]);
    if (dataset.status === 'deleting')
      throw new PilothouseError('CONFLICT', 'The dataset is being deleted. Choose another dataset.');
    if (!dataset.card)
      throw new PilothouseError(
        'CONFLICT',
        `The dataset is ${dataset.status}. Wait until it is ready, or choose another dataset.`,
      );
    if ((dataset.card.splits[split] ?? 0) === 0)
      throw validationError('body', [
        {
          pointer: '/split',
          detail: `The part ${split} of ${dataset.name}@${dataset.version} is empty. Choose another.`,
        },
      ]);
  }
}
