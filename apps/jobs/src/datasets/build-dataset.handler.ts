import { createHash } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { DatasetCard } from '@pilothouse/contract/learning/dataset.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { canonicalJson } from '@pilothouse/core/learning/dataset/canonical-json';
import { CardCounter, cardMarkdown, DATASET_BUILDER } from '@pilothouse/core/learning/dataset/dataset-card';
import { DuplicateIndex } from '@pilothouse/core/learning/dataset/deduplication';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { DatasetBuildStore, type DatasetToBuild, type StepCursor } from '@pilothouse/infra-db';
import { z } from 'zod';
import type { JobContext, JobHandler } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';
import { datasetFolder, mapInOrder, OMISSIONS_PREFIX, imagePath, writeFile } from './dataset-objects.ts';
import { loadExample, type LoadedExample } from './load-example.ts';

/** Minimum number of examples of a file. All steps of a trace are in one file. */
const FILE_EXAMPLES = 1000;

/** Maximum length of the error of a dataset. */
const MAX_ERROR_LENGTH = 2000;

/** Number of steps that one query reads. */
const STEPS_PER_PAGE = 500;

/** Number of steps that are loaded concurrently. */
const CONCURRENT_STEPS = 8;

const paramsSchema = z.object({ dataset: z.uuid() });

/** Position of a build: files so far, and the last step in them. */
interface BuildState {
  cursor: StepCursor | null;
  files: DatasetCard['files'];
  steps: number;
}

/**
 * Builds a dataset: reads the steps of its query, redacts them, drops duplicates, and writes its files and its card.
 * @param fileExamples minimum number of examples of a file; the last file may have fewer
 */
export function createBuildDatasetHandler(
  { pool, objects }: JobDependencies,
  fileExamples = FILE_EXAMPLES,
): JobHandler<{ dataset: string }> {
  const store = new DatasetBuildStore(pool);
  return {
    params: paramsSchema,
    async run({ dataset: id }, job): Promise<Json> {
      const dataset = await store.find(job.project, id);
      if (!dataset) throw new PilothouseError('NOT_FOUND', 'The dataset was deleted.');
      return new DatasetBuild(store, objects, job, dataset, fileExamples).run();
    },
  };
}

class DatasetBuild {
  private readonly counter: CardCounter;
  private readonly state: BuildState;
  private readonly duplicates = new DuplicateIndex();
  /** SHA-256 hashes of stored images. */
  private readonly imageHashes = new Set<string>();
  private pending: DatasetExample[] = [];
  /** Lines of the omitted steps since the last file. */
  private omitted: string[] = [];

  constructor(
    private readonly store: DatasetBuildStore,
    private readonly objects: BlobStore,
    private readonly job: JobContext,
    private readonly dataset: DatasetToBuild,
    private readonly fileExamples: number,
  ) {
    const checkpoint = job.checkpoint as { state: BuildState; counter: unknown } | null;
    this.state = checkpoint?.state ?? { cursor: null, files: [], steps: 0 };
    this.counter = CardCounter.create(checkpoint?.counter ?? null);
  }

  async run(): Promise<Json> {
    const { job, dataset, store } = this;
    for (const { textHash, perceptualHash, imageSha256 } of await store.storedHashes(dataset.id)) {
      this.duplicates.add({ textHash, perceptualHash });
      if (imageSha256 !== null) this.imageHashes.add(imageSha256);
    }
    let { cursor, steps } = this.state;
    for await (const loaded of mapInOrder(this.steps(), CONCURRENT_STEPS, (step) =>
      loadExample(this.objects, step, dataset),
    )) {
      job.signal.throwIfAborted();
      const isNextTrace = cursor !== null && cursor.run !== loaded.step.run;
      if (isNextTrace && this.pending.length >= this.fileExamples) await this.writeExamples(cursor, steps);
      await this.add(loaded);
      cursor = loaded.step.cursor;
      steps += 1;
    }
    if (this.pending.length > 0) await this.writeExamples(cursor, steps);
    await this.writeOmitted();
    if (this.counter.exampleCount === 0) return this.failEmpty(steps);
    const card = await this.writeCard();
    await store.complete(job, dataset.id, card);
    return { examples: card.counts.examples, sha256: card.sha256 };
  }

  private async *steps() {
    const { store, dataset } = this;
    let { cursor } = this.state;
    for (;;) {
      const page = await store.steps(dataset, cursor, STEPS_PER_PAGE);
      yield* page;
      cursor = page.at(-1)?.cursor ?? null;
      if (page.length < STEPS_PER_PAGE) return;
    }
  }

  private async add(loaded: LoadedExample): Promise<void> {
    const { step } = loaded;
    if (loaded.kind === 'omitted') {
      this.counter.omit(loaded.reason, `${step.run}/${step.ordinal}`);
      this.listOmitted(step, loaded.reason);
      return;
    }
    const { example, group, redactions, image } = loaded;
    const { textHash } = example;
    if (!this.duplicates.add({ textHash, perceptualHash: example.image?.perceptualHash ?? null })) {
      this.counter.addDuplicate();
      this.listOmitted(step, 'The step is a duplicate of an earlier one');
      return;
    }
    this.counter.add(example, group, redactions);
    if (image && example.image && !this.imageHashes.has(example.image.sha256)) {
      this.imageHashes.add(example.image.sha256);
      this.counter.addImage(image.length);
      const key = `${datasetFolder(this.dataset.id)}/${imagePath(example.image.sha256)}`;
      await this.objects.put(key, image, { contentType: 'image/jpeg', maxBytes: image.length });
    }
    this.pending.push(example);
  }

  /** Writes a file with the pending examples, then their rows and the next checkpoint in one transaction. */
  private async writeExamples(cursor: StepCursor | null, steps: number): Promise<void> {
    const { job, dataset, state, pending } = this;
    const name = `examples-${String(state.files.length + 1).padStart(5, '0')}.jsonl`;
    const lines = pending.map((example) => `${canonicalJson(example)}\n`);
    const options = { contentType: 'application/x-ndjson', signal: job.signal };
    await this.writeOmitted();
    const file = await writeFile(this.objects, `${datasetFolder(dataset.id)}/${name}`, lines, options);
    Object.assign(state, { cursor, steps });
    state.files.push({ name, ...file, examples: pending.length });
    this.pending = [];
    const checkpoint = { state, counter: this.counter.state } as unknown as Json;
    await this.store.addItems(job, dataset.id, pending, checkpoint);
    await job.progress(steps, null, 'steps');
    job.throwIfStopping();
  }

  private listOmitted({ run, ordinal }: LoadedExample['step'], reason: string): void {
    this.omitted.push(`${JSON.stringify({ run, ordinal, reason })}\n`);
  }

  /** Writes the list of the steps that were omitted since the last file. */
  private async writeOmitted(): Promise<void> {
    if (this.omitted.length === 0) return;
    const name = `${OMISSIONS_PREFIX}${String(this.state.files.length + 1).padStart(5, '0')}.jsonl`;
    const options = { contentType: 'application/x-ndjson', signal: this.job.signal };
    await writeFile(this.objects, `${datasetFolder(this.dataset.id)}/${name}`, this.omitted, options);
    this.omitted = [];
  }

  private async failEmpty(steps: number): Promise<never> {
    const message =
      steps === 0
        ? 'The query selects no steps. Check that turns are recorded and scored, and widen the query.'
        : `The query selects ${steps} steps, but the dataset omits all of them: ${this.counter
            .counts()
            .omissions.map(({ reason, count, steps: named }) => `${reason} (${count}: ${named.join(', ')})`)
            .join(', ')}.`.slice(0, MAX_ERROR_LENGTH);
    await this.store.fail(this.job, this.dataset.id, message);
    throw new PilothouseError('VALIDATION_FAILED', message);
  }

  private async writeCard(): Promise<DatasetCard> {
    const { dataset, state, job } = this;
    const { name, version, query, shares, seed, license, consent } = dataset;
    const hash = createHash('sha256');
    for (const file of state.files) hash.update(`${file.name} ${file.sha256}\n`);
    const card: DatasetCard = {
      ...{ name, version, query, shares, seed, license, consent, builder: DATASET_BUILDER },
      ...this.counter.counts(),
      files: state.files,
      sha256: hash.digest('hex'),
    };
    const folder = datasetFolder(dataset.id);
    const write = (file: string, text: string, contentType: string) =>
      writeFile(this.objects, `${folder}/${file}`, [text], { contentType, signal: job.signal });
    await write('card.json', `${canonicalJson(card)}\n`, 'application/json');
    await write('card.md', cardMarkdown(card), 'text/plain');
    return card;
  }
}
