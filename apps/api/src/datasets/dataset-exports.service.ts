import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CreateExport, ExportDownload, ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { ObjectStorage } from '@pilothouse/infra-blob';
import type { ExportDestinations } from '@pilothouse/infra-config';
import { DatasetStore } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { EXPORT_DESTINATIONS, OBJECTS } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { validationError } from '../http/request-validation.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { JobRunnerWatch } from '../jobs/job-runner-watch.ts';
import { DatasetsService } from './datasets.service.ts';

/** Seconds for which signed URLs are valid. */
const DOWNLOAD_SECONDS = 3600;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
};

/** Datasets in the formats of trainers. */
export class DatasetExportsService {
  constructor(
    @Inject(DatasetsService) private readonly datasets: DatasetsService,
    @Inject(DatasetStore) private readonly store: DatasetStore,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(EXPORT_DESTINATIONS) private readonly destinations: ExportDestinations,
    @Inject(JobRunnerWatch) private readonly runners: Pick<JobRunnerWatch, 'condition'>,
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'store' | 'clientTransfers'>,
  ) {}

  /** @throws PilothouseError NOT_FOUND */
  async list(caller: Caller, dataset: string): Promise<{ items: ExportView[] }> {
    await this.datasets.read(caller, dataset);
    const exports = await this.store.exports(caller.project.id, dataset);
    return { items: await Promise.all(exports.map((view) => this.withCondition(view))) };
  }

  /** @throws PilothouseError NOT_FOUND; VALIDATION_FAILED for an unknown destination; CONFLICT when the dataset is not ready */
  async create(caller: Caller, dataset: string, options: CreateExport): Promise<ExportView> {
    const names = Object.keys(this.destinations);
    if (options.destination !== undefined && !names.includes(options.destination)) {
      const detail = `Destination ${options.destination} not found. Configured: ${names.join(', ') || 'none'}.`;
      throw validationError('body', [{ pointer: '/destination', detail }]);
    }
    const [id, job] = [newId(), newId()];
    const { id: project } = caller.project;
    await this.store.createExport({ id, job, project, dataset, options, createdBy: actorFrom(caller) });
    await this.queue.wake([job]);
    return this.read(caller, dataset, id);
  }

  /** @throws PilothouseError NOT_FOUND */
  async read({ project }: Caller, dataset: string, id: string): Promise<ExportView> {
    const found = await this.store.readExport(project.id, dataset, id);
    if (!found) throw new PilothouseError('NOT_FOUND', `The dataset has no export ${id}.`);
    return this.withCondition(found);
  }

  private async withCondition(view: ExportView): Promise<ExportView> {
    const condition = view.status === 'running' ? await this.runners.condition() : undefined;
    return condition ? { ...view, condition } : view;
  }

  /**
   * Signed URLs of the files, and after them of the screenshots, by name.
   * @throws PilothouseError NOT_FOUND; CONFLICT when the export is not ready
   */
  async files(
    caller: Caller,
    dataset: string,
    id: string,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<ExportDownload>> {
    const { status, files } = await this.read(caller, dataset, id);
    if (status !== 'ready') throw new PilothouseError('CONFLICT', `The export is ${status}. Wait until it is ready.`);
    const folder = `datasets/${dataset}/exports/${id}/`;
    const fileNames = files.map(({ name }) => name);
    const isAfterFiles = cursor !== undefined && !fileNames.includes(cursor);
    // The files come first, in their own order.
    const names = isAfterFiles ? [] : fileNames.slice(cursor === undefined ? 0 : fileNames.indexOf(cursor) + 1);
    const images = this.objects.store.list(
      `${folder}images/`,
      isAfterFiles ? { startAfter: `${folder}${cursor}` } : {},
    );
    for await (const key of images) {
      if (names.length > limit) break;
      names.push(key.slice(folder.length));
    }
    const page = names.slice(0, limit);
    const items = await Promise.all(page.map((name) => this.download(folder, name)));
    return { items, nextCursor: names.length > limit ? (page.at(-1) ?? null) : null };
  }

  private async download(folder: string, name: string): Promise<ExportDownload> {
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const options = { name: name.split('/').at(-1) ?? name, contentType, expiresInSeconds: DOWNLOAD_SECONDS };
    return { name, transfer: await this.objects.clientTransfers.download(`${folder}${name}`, options) };
  }
}
