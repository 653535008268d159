import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ExportFile } from '@pilothouse/contract/learning/dataset-export.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import type { JobContext } from '../runner/job-handler.ts';
import { contentTypeOf, exportFolder, mapInOrder } from './dataset-objects.ts';

/** Files that are copied concurrently. */
const CONCURRENT_COPIES = 8;

/** Files between two checkpoints. */
const CHECKPOINT_INTERVAL_FILES = 500;

export interface CopyPosition {
  /** Copied images. */
  readonly count: number;
  /** Key of the last one. */
  readonly after: string;
}

interface CopyJob {
  readonly signal: AbortSignal;
  progress: JobContext['progress'];
  savePosition(position: CopyPosition): Promise<void>;
}

/** Folder of an export at its destination. */
export const destinationFolder = ({ dataset, id }: { readonly dataset: string; readonly id: string }): string =>
  `${dataset}/${id}`;

/**
 * Copies the images and then the other files of an export to its destination.
 * @param start position from which it continues
 * @returns files with their addresses
 */
export async function copyExport(
  objects: BlobStore,
  destination: ExportDestination,
  target: { readonly dataset: string; readonly id: string },
  files: readonly ExportFile[],
  start: CopyPosition | null,
  job: CopyJob,
): Promise<ExportFile[]> {
  const source = exportFolder(target.dataset, target.id);
  const keyOf = (name: string) => `${destinationFolder(target)}/${name}`;
  const copy = async (name: string): Promise<string> => {
    job.signal.throwIfAborted();
    const sourceKey = `${source}/${name}`;
    const stat = await objects.stat(sourceKey);
    if (!stat)
      throw new PilothouseError('NOT_FOUND', `The file ${name} of the export was deleted. Start a new export.`);
    const file = { size: stat.size, contentType: contentTypeOf(name) };
    await destination.put(keyOf(name), await objects.get(sourceKey), file, job.signal);
    return sourceKey;
  };
  let count = start?.count ?? 0;
  const lastKey = start?.after ?? '';
  async function* images(): AsyncGenerator<string> {
    for await (const key of objects.list(`${source}/images/`, { startAfter: lastKey }))
      yield key.slice(source.length + 1);
  }
  for await (const key of mapInOrder(images(), CONCURRENT_COPIES, copy)) {
    count += 1;
    if (count % CHECKPOINT_INTERVAL_FILES > 0) continue;
    await job.progress(count, null, 'files');
    await job.savePosition({ count, after: key });
  }
  for (const { name } of files) await copy(name);
  await job.progress(count + files.length, null, 'files');
  return files.map((file) => ({ ...file, uri: destination.uri(keyOf(file.name)) }));
}
