import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  exportJobParamsSchema,
  type ExportFile,
  type ExportReport,
} from '@pilothouse/contract/learning/dataset-export.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { llamaFactoryInfo } from '@pilothouse/core/learning/formats/llamafactory.format';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import { DatasetBuildStore } from '@pilothouse/infra-db';
import type { JobContext, JobHandler } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';
import { datasetFolder, exportFolder, OMISSIONS_PREFIX, writeFile } from './dataset-objects.ts';
import { copyExport, destinationFolder, type CopyPosition } from './export-copy.ts';
import { ExportParts, type ExportToWrite } from './export-parts.ts';

/** Position of a job after its files are written. Before, it is that of `ExportParts`. */
interface Checkpoint {
  readonly written?: { readonly report: ExportReport; readonly files: ExportFile[] };
  readonly copied?: CopyPosition;
}

/** Writes a dataset in the format of a trainer: parts for each file of the dataset, then one file for each split. */
export function createExportHandler({ pool, objects, destinations }: JobDependencies): JobHandler<{ export: string }> {
  const store = new DatasetBuildStore(pool);
  return {
    params: exportJobParamsSchema,
    async run({ export: id }, job): Promise<Json> {
      const found = await store.findExport(job.project, id);
      if (!found) throw new PilothouseError('NOT_FOUND', 'The export or its dataset was deleted.');
      const { destination: name } = found.options;
      const destination = name === undefined ? null : destinations?.get(name);
      if (destination === undefined)
        throw new PilothouseError(
          'VALIDATION_FAILED',
          `The job runner has no destination ${name}. Configured: ${[...(destinations?.keys() ?? [])].join(', ') || 'none'}.`,
        );
      const checkpoint = job.checkpoint as Checkpoint | null;
      const target = destination ? withImageBase(found, destination) : found;
      const written = await writeExport(objects, target, job);
      const { report } = written;
      if (report.lines === 0) {
        const message = `${found.options.format} can carry no step of the dataset: ${report.rejected.map(({ reason, count }) => `${reason} (${count})`).join(', ')}.`;
        await store.failExport(job, id, { report, error: message.slice(0, 2000) });
        throw new PilothouseError('VALIDATION_FAILED', message.slice(0, 2000));
      }
      let { files } = written;
      if (destination) {
        files = await copyExport(objects, destination, found, files, checkpoint?.copied ?? null, {
          signal: job.signal,
          progress: job.progress.bind(job),
          savePosition: (copied) => job.saveCheckpoint({ written, copied } as unknown as Json),
        });
      }
      await store.completeExport(job, id, { report, files });
      return { lines: report.lines, images: report.images };
    },
  };
}

/** Lines for Vertex AI refer to the images in their bucket. */
function withImageBase(target: ExportToWrite, destination: ExportDestination): ExportToWrite {
  const { options } = target;
  const imageBase = options.imageBase ?? destination.uri(destinationFolder(target));
  return options.format === 'gemini' && imageBase.startsWith('gs://')
    ? { ...target, options: { ...options, imageBase } }
    : target;
}

/** Writes all files of an export. It continues from the checkpoint of the job. */
export async function writeExport(
  objects: BlobStore,
  target: ExportToWrite,
  job: Pick<JobContext, 'checkpoint' | 'progress' | 'saveCheckpoint' | 'signal'>,
): Promise<{ report: ExportReport; files: ExportFile[] }> {
  const { card, options } = target;
  const folder = exportFolder(target.dataset, target.id);
  const earlier = (job.checkpoint as Checkpoint | null)?.written;
  if (earlier) {
    await removeParts(objects, folder);
    return earlier;
  }
  const parts = new ExportParts(objects, target, job);
  let done = card.files.slice(0, parts.fileCount).reduce((sum, { examples }) => sum + examples, 0);
  for (const file of card.files.slice(parts.fileCount)) {
    await parts.add(file.name);
    done += file.examples;
    await job.progress(done, card.counts.examples, 'steps');
    await job.saveCheckpoint(parts.checkpoint());
  }
  const files: ExportFile[] = [];
  for (const split of options.splits) {
    const file = await parts.join(split);
    if (file) files.push(file);
  }
  const write = async (name: string, value: Json) => {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const written = await writeFile(objects, `${folder}/${name}`, [text], {
      contentType: 'application/json',
      signal: job.signal,
    });
    files.push({ name, ...written, lines: null });
  };
  if (options.format === 'llamafactory')
    await write(
      'dataset_info.json',
      llamaFactoryInfo(
        files.map(({ name }) => name),
        options.objective === 'preference',
      ),
    );
  await write('card.json', card as unknown as Json);
  const report = parts.report();
  await write('report.json', report as unknown as Json);
  const rejected = await parts.join('rejected');
  if (rejected) files.push(rejected);
  const omitted = await copyOmissions(objects, target, job.signal);
  if (omitted) files.push(omitted);
  // Without the parts, another attempt cannot write the files again.
  await job.saveCheckpoint({ written: { report, files } } as unknown as Json);
  await removeParts(objects, folder);
  return { report, files };
}

/** Joins the lists of the steps that the dataset left out; null: it left out none. */
async function copyOmissions(
  objects: BlobStore,
  { dataset, id, card }: ExportToWrite,
  signal: AbortSignal,
): Promise<ExportFile | null> {
  const lines = card.omissions.reduce((sum, { count }) => sum + count, card.counts.duplicates);
  if (lines === 0) return null;
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const key of objects.list(`${datasetFolder(dataset)}/${OMISSIONS_PREFIX}`))
      yield* (await objects.get(key)) as AsyncIterable<Buffer>;
  }
  const name = 'omissions.jsonl';
  const options = { contentType: 'application/x-ndjson', signal };
  return { name, ...(await writeFile(objects, `${exportFolder(dataset, id)}/${name}`, bytes(), options)), lines };
}

async function removeParts(objects: BlobStore, folder: string): Promise<void> {
  const keys: string[] = [];
  for await (const key of objects.list(`${folder}/parts/`)) keys.push(key);
  await objects.delete(keys);
}
