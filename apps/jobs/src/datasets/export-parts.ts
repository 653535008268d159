import type { DatasetExample, DatasetSplit } from '@pilothouse/contract/learning/dataset-example.schema';
import type { CreateExport, ExportFile, ExportReport } from '@pilothouse/contract/learning/dataset-export.schema';
import type { DatasetCard } from '@pilothouse/contract/learning/dataset.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { exportFileName, exportFormatTable, formatSteps } from '@pilothouse/core/learning/formats/export-format';
import type { ExampleWithImage } from '@pilothouse/core/learning/formats/format-types';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { JobContext } from '../runner/job-handler.ts';
import {
  datasetFolder,
  exportFolder,
  mapInOrder,
  MAX_IMAGE_BYTES,
  imagePath,
  readLines,
  findObject,
  writeFile,
} from './dataset-objects.ts';

/** An export with the card of its dataset. */
export interface ExportToWrite {
  readonly id: string;
  readonly dataset: string;
  readonly options: CreateExport;
  readonly card: DatasetCard;
}

/** Number of images that are read concurrently. */
const CONCURRENT_IMAGES = 16;

/** File with each step that the format does not support, and the reason. */
const REJECTED_FILE = 'rejected.jsonl';

/** Maximum number of steps that a report names for each reason. */
const MAX_NAMED_STEPS = 20;

interface Part {
  readonly key: string;
  readonly split: DatasetSplit | 'rejected';
  readonly lines: number;
}

interface PartsState {
  /** Number of files of the dataset whose parts are written. */
  files: number;
  parts: Part[];
  examples: number;
  images: number;
  rejected: Record<string, { count: number; steps: string[] }>;
}

/** Parts of an export: one object for each file of the dataset and each split. Its state is the checkpoint of the job. */
export class ExportParts {
  private readonly state: PartsState;
  private readonly folder: string;
  /** SHA-256 hashes of copied images. */
  private readonly copiedHashes = new Set<string>();
  /** Keys of images that the dataset lacks. */
  private readonly missingKeys = new Set<string>();
  /** Lines of the report of the current file of the dataset. */
  private rejectedLines: string[] = [];

  constructor(
    private readonly objects: BlobStore,
    private readonly target: ExportToWrite,
    private readonly job: Pick<JobContext, 'checkpoint' | 'signal'>,
  ) {
    this.folder = exportFolder(target.dataset, target.id);
    this.state = (job.checkpoint as unknown as PartsState | null) ?? {
      files: 0,
      parts: [],
      examples: 0,
      images: 0,
      rejected: {},
    };
  }

  /** Number of files of the dataset whose parts are written. */
  get fileCount(): number {
    return this.state.files;
  }

  checkpoint(): Json {
    return this.state as unknown as Json;
  }

  /** Writes the parts of one file of the dataset, one split after the other. */
  async add(file: string): Promise<void> {
    const { options, dataset } = this.target;
    const key = `${datasetFolder(dataset)}/${file}`;
    const splitsInFile = new Set<DatasetSplit>();
    for await (const line of readLines(this.objects, key)) splitsInFile.add(splitOfLine(line));
    await this.copyImages(key);
    const parts: Part[] = [];
    for (const split of options.splits.filter((candidate) => splitsInFile.has(candidate))) {
      const counter = { lines: 0 };
      const part = `${this.folder}/parts/${split}-${file}`;
      await writeFile(this.objects, part, this.lines(key, split, counter), {
        contentType: 'application/x-ndjson',
        signal: this.job.signal,
      });
      parts.push({ key: part, split, lines: counter.lines });
    }
    if (this.rejectedLines.length > 0) {
      const part = `${this.folder}/parts/rejected-${file}`;
      const options = { contentType: 'application/x-ndjson', signal: this.job.signal };
      await writeFile(this.objects, part, this.rejectedLines, options);
      parts.push({ key: part, split: 'rejected', lines: this.rejectedLines.length });
      this.rejectedLines = [];
    }
    this.state.parts.push(...parts);
    this.state.files += 1;
  }

  private async *lines(key: string, split: DatasetSplit, counter: { lines: number }): AsyncGenerator<string> {
    const { options } = this.target;
    const isTrace = exportFormatTable[options.format].unit === 'trace';
    let steps: ExampleWithImage[] = [];
    for await (const step of mapInOrder(this.examples(key, split), CONCURRENT_IMAGES, (example) =>
      this.withImage(example),
    )) {
      this.job.signal.throwIfAborted();
      if (isTrace && (steps[0]?.example.run ?? step.example.run) === step.example.run) {
        steps.push(step);
        continue;
      }
      yield* this.format(isTrace ? steps : [step], counter);
      steps = isTrace ? [step] : [];
    }
    if (steps.length > 0) yield* this.format(steps, counter);
  }

  /** Copies the images of a file of the dataset, each once in an export. */
  private async copyImages(key: string): Promise<void> {
    const { options, dataset } = this.target;
    if (!options.includeImages || exportFormatTable[options.format].embedsImages(options)) return;
    const hashes = new Set<string>();
    for await (const line of readLines(this.objects, key)) {
      const { split, image } = JSON.parse(line) as DatasetExample;
      if (image && options.splits.includes(split) && !this.copiedHashes.has(image.sha256)) hashes.add(image.sha256);
    }
    const copies = [...hashes].map((hash) => ({
      source: `${datasetFolder(dataset)}/${imagePath(hash)}`,
      target: `${this.folder}/${imagePath(hash)}`,
    }));
    for (const source of await this.objects.copy(copies)) this.missingKeys.add(source);
    for (const hash of hashes) this.copiedHashes.add(hash);
  }

  private async *examples(key: string, split: DatasetSplit): AsyncGenerator<DatasetExample> {
    for await (const line of readLines(this.objects, key))
      if (splitOfLine(line) === split) yield JSON.parse(line) as DatasetExample;
  }

  /** Refers to the image of an example, or reads it for lines that embed it. */
  private async withImage(example: DatasetExample): Promise<ExampleWithImage & { isImageMissing?: true }> {
    const { options, dataset } = this.target;
    const { image } = example;
    if (!image || !options.includeImages) return { example, image: null };
    const path = imagePath(image.sha256);
    const source = `${datasetFolder(dataset)}/${path}`;
    if (exportFormatTable[options.format].embedsImages(options)) {
      const data = await findObject(this.objects, source, MAX_IMAGE_BYTES);
      if (!data) return { example, image: null, isImageMissing: true };
      return { example, image: { path, base64: data.toString('base64'), bytes: data.length } };
    }
    if (this.missingKeys.has(source)) return { example, image: null, isImageMissing: true };
    return { example, image: { path, base64: null, bytes: image.bytes } };
  }

  private *format(
    steps: readonly (ExampleWithImage & { isImageMissing?: true })[],
    counter: { lines: number },
  ): Generator<string> {
    const { state } = this;
    state.examples += steps.length;
    const isIncomplete = steps.some(({ isImageMissing }) => isImageMissing);
    const result = isIncomplete
      ? ({ kind: 'rejected', reason: 'The screenshot is missing' } as const)
      : formatSteps(steps, this.target.options);
    if (result.kind === 'rejected') {
      const rejected = (state.rejected[result.reason] ??= { count: 0, steps: [] });
      rejected.count += steps.length;
      const names = steps.map(({ example }) => `${example.run}/${example.ordinal}`);
      rejected.steps.push(...names.slice(0, MAX_NAMED_STEPS - rejected.steps.length));
      for (const { example } of steps)
        this.rejectedLines.push(
          `${JSON.stringify({ run: example.run, ordinal: example.ordinal, reason: result.reason })}\n`,
        );
      return;
    }
    state.images += result.images;
    counter.lines += result.lines.length;
    for (const line of result.lines) yield `${JSON.stringify(line)}\n`;
  }

  /** Joins the parts of a split, or of the rejected steps, to a file; null: it has no lines. */
  async join(split: DatasetSplit | 'rejected'): Promise<ExportFile | null> {
    const parts = this.state.parts.filter((part) => part.split === split && part.lines > 0);
    if (parts.length === 0) return null;
    const { objects } = this;
    async function* bytes(): AsyncGenerator<Buffer> {
      for (const { key } of parts) yield* (await objects.get(key)) as AsyncIterable<Buffer>;
    }
    const name = split === 'rejected' ? REJECTED_FILE : exportFileName(split);
    const file = await writeFile(objects, `${this.folder}/${name}`, bytes(), {
      contentType: 'application/x-ndjson',
      signal: this.job.signal,
    });
    return { name, ...file, lines: parts.reduce((sum, { lines }) => sum + lines, 0) };
  }

  report(): ExportReport {
    const { parts, examples, images, rejected } = this.state;
    return {
      lines: parts.reduce((sum, { split, lines }) => (split === 'rejected' ? sum : sum + lines), 0),
      examples,
      images,
      rejected: Object.entries(rejected)
        .map(([reason, { count, steps }]) => ({ reason, count, steps }))
        .sort((left, right) => right.count - left.count || (left.reason < right.reason ? -1 : 1)),
    };
  }
}

const SPLIT_FIELD = '"split":"';

/** Split of a line, without parsing it. Texts escape quotation marks, so the last match is the field of the example. */
function splitOfLine(line: string): DatasetSplit {
  const start = line.lastIndexOf(SPLIT_FIELD) + SPLIT_FIELD.length;
  return line.slice(start, line.indexOf('"', start)) as DatasetSplit;
}
