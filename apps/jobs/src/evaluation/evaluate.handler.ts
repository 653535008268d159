import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { DatasetDetail } from '@pilothouse/contract/learning/dataset.schema';
import {
  evaluationStateSchema,
  startEvaluationSchema,
  type StartEvaluation,
} from '@pilothouse/contract/learning/offline-evaluation.schema';
import { modelNameSchema } from '@pilothouse/contract/model/model-settings.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import {
  compareAnswer,
  evaluationRequest,
  labelOf,
  needsImage,
} from '@pilothouse/core/learning/evaluation/evaluation-request';
import { EvaluationTotals, type ExampleOutcome } from '@pilothouse/core/learning/evaluation/evaluation-totals';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { NoImageInputError, UnusableAnswerError } from '@pilothouse/core/ports/model.port';
import {
  DatasetBuildStore,
  DatasetStore,
  inJobTransaction,
  RegistryStore,
  saveModelMetric,
} from '@pilothouse/infra-db';
import { datasetFolder, findObject, MAX_IMAGE_BYTES, imagePath, readLines } from '../datasets/dataset-objects.ts';
import type { JobContext, JobHandler, JobModelTarget } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';

/** Concurrent model calls of one evaluation. */
const CONCURRENT_CALLS = 4;

/** Examples and milliseconds after which a checkpoint is saved. It contains the values of all examples. */
const CHECKPOINT_EXAMPLES = 50;
const CHECKPOINT_INTERVAL_MS = 10_000;

/** Errors that concern one example only. */
const EXAMPLE_CODES: ReadonlySet<ErrorCode> = new Set(['MODEL_REFUSED', 'MODEL_INVALID']);

/** Compares the answers of a model with the labels of a dataset, and records the result at its entry of the registry. */
export const createEvaluateHandler = (deps: JobDependencies): JobHandler<StartEvaluation> => ({
  params: startEvaluationSchema,
  run: async (params, job): Promise<Json> => {
    const dataset = await readyDataset(params.dataset, job, deps);
    const target = await targetOf(params.model, job, deps);
    const totals = await new EvaluationAttempt(dataset, target, params, job, deps.objects).run();
    const name = `${dataset.name}@${dataset.version}`;
    const { split } = params;
    const result = totals.result({ model: target.model, dataset: name, split, job: job.id });
    if (result.actionMatchRate.trials === 0) {
      const reasons = result.skipped.map(({ reason, count }) => `${reason} (${count})`).join(', ');
      throw new PilothouseError(
        'VALIDATION_FAILED',
        `The part ${split} of ${name} has no example to ask about: ${reasons || 'it is empty'}. Choose another \`split\`.`,
      );
    }
    await inJobTransaction(deps.pool, job, (client) =>
      saveModelMetric(client, job.project, params.model, { name: `offline:${name}`, value: result as unknown as Json }),
    );
    return result as unknown as Json;
  },
});

/**
 * Waits for a deletion of the dataset that is in progress, and reads the dataset. A deletion that starts later fails
 * with CONFLICT, because this job is running.
 * @throws PilothouseError NOT_FOUND
 */
async function readyDataset(id: string, { project }: JobContext, { pool }: JobDependencies): Promise<DatasetDetail> {
  // Takes a share lock, so it waits for the deletion.
  const isAvailable = (await new DatasetBuildStore(pool).find(project, id)) !== null;
  const dataset = isAvailable ? await new DatasetStore(pool).read(project, id) : null;
  if (dataset?.card && dataset.status !== 'deleting') return dataset;
  throw new PilothouseError('NOT_FOUND', `The dataset ${id} was deleted or is not ready. Choose another one.`);
}

/** @throws PilothouseError NOT_FOUND */
async function targetOf(name: string, { project }: JobContext, { pool }: JobDependencies): Promise<JobModelTarget> {
  if (modelNameSchema.safeParse(name).success) return { model: name, base: null, dialect: null };
  const entry = await new RegistryStore(pool).read(project, name);
  if (entry) return entry;
  throw new PilothouseError('NOT_FOUND', `The registry has no model ${name} any more.`);
}

class EvaluationAttempt {
  private readonly totals: EvaluationTotals;
  /** Examples and time of the last checkpoint. */
  private saved: { readonly count: number; readonly savedAt: number };

  constructor(
    private readonly dataset: DatasetDetail,
    private readonly target: JobModelTarget,
    private readonly params: Pick<StartEvaluation, 'split' | 'limit'>,
    private readonly job: JobContext,
    private readonly objects: BlobStore,
  ) {
    this.totals = new EvaluationTotals(
      job.checkpoint === null ? null : evaluationStateSchema.parse(structuredClone(job.checkpoint)),
    );
    this.saved = { count: this.totals.doneCount, savedAt: job.clock.monotonic() };
  }

  async run(): Promise<EvaluationTotals> {
    let batch: { index: number; example: DatasetExample }[] = [];
    let index = -1;
    for await (const example of this.examples()) {
      index += 1;
      if (this.totals.isDone(index)) continue;
      batch.push({ index, example });
      if (batch.length < CONCURRENT_CALLS) continue;
      await this.ask(batch);
      batch = [];
    }
    if (batch.length > 0) await this.ask(batch);
    if (this.totals.doneCount > this.saved.count) await this.save();
    return this.totals;
  }

  /** Examples of the part, up to the limit. */
  private async *examples(): AsyncGenerator<DatasetExample> {
    const { split, limit } = this.params;
    let count = 0;
    for (const { name } of this.dataset.card?.files ?? []) {
      for await (const line of readLines(this.objects, `${datasetFolder(this.dataset.id)}/${name}`)) {
        if (!line.includes(`"split":"${split}"`)) continue;
        const example = JSON.parse(line) as DatasetExample;
        if (example.split !== split) continue;
        if (count >= limit) return;
        count += 1;
        yield example;
      }
    }
  }

  /** Asks about examples concurrently. Answers that were paid for are stored before an error ends the attempt. */
  private async ask(batch: readonly { readonly index: number; readonly example: DatasetExample }[]): Promise<void> {
    const { job, totals } = this;
    job.signal.throwIfAborted();
    const results = await Promise.allSettled(batch.map(({ example }) => this.outcomeOf(example)));
    for (const [position, result] of results.entries()) {
      const index = batch[position]?.index;
      if (index !== undefined && result.status === 'fulfilled') totals.add(index, result.value);
    }
    const total = Math.min(this.params.limit, this.dataset.card?.splits[this.params.split] ?? this.params.limit);
    await job.progress(totals.doneCount, Math.max(total, totals.doneCount), 'examples');
    const failed = results.find((result) => result.status === 'rejected');
    if (failed || this.isCheckpointDue()) await this.save();
    if (failed) throw failed.reason;
  }

  private isCheckpointDue(): boolean {
    const { job, saved, totals } = this;
    try {
      job.throwIfStopping();
    } catch {
      return true;
    }
    return (
      totals.doneCount - saved.count >= CHECKPOINT_EXAMPLES ||
      job.clock.monotonic() - saved.savedAt >= CHECKPOINT_INTERVAL_MS
    );
  }

  /** @throws PilothouseError JOB_HANDED_BACK, after the checkpoint is saved; LEASE_LOST; the reason of the signal */
  private async save(): Promise<void> {
    const { job, totals } = this;
    this.saved = { count: totals.doneCount, savedAt: job.clock.monotonic() };
    await job.saveCheckpoint(totals.checkpoint() as unknown as Json);
  }

  private async outcomeOf(example: DatasetExample): Promise<ExampleOutcome> {
    const name = `${example.run}/${example.ordinal}`;
    const label = labelOf(example);
    if (label.kind === 'unlabeled') return { name, kind: 'skipped', reason: label.reason };
    const image = needsImage(example) ? await this.imageOf(example) : null;
    if (image === undefined) return { name, kind: 'skipped', reason: 'The screenshot is missing' };
    try {
      const answer = await this.job.models.generate(evaluationRequest(example, image), this.target);
      const compared = compareAnswer(answer, label.actions, example);
      return compared.kind === 'compared'
        ? { name, ...compared, answer }
        : { name, kind: 'error', reason: compared.reason, answer };
    } catch (error) {
      if (!(error instanceof PilothouseError)) throw error;
      if (!EXAMPLE_CODES.has(error.code) && !(error instanceof NoImageInputError)) throw error;
      const answer = error instanceof UnusableAnswerError ? error.answer : null;
      return { name, kind: 'error', reason: error.message, answer };
    }
  }

  /** Base64 of the screenshot; null: the step has none; undefined: it is missing. */
  private async imageOf({ image }: DatasetExample): Promise<string | null | undefined> {
    if (!image) return null;
    const key = `${datasetFolder(this.dataset.id)}/${imagePath(image.sha256)}`;
    return (await findObject(this.objects, key, MAX_IMAGE_BYTES))?.toString('base64');
  }
}
