import { Inject } from '@nestjs/common';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CreateDataset, DatasetDetail, DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import type { ObjectStorage } from '@pilothouse/infra-blob';
import { DatasetStore, type ListDatasets } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { OBJECTS } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';

/** Number of objects that one call deletes. */
const DELETE_BATCH_SIZE = 1000;

/** Immutable sets of labeled turns. A job builds each of them. */
export class DatasetsService {
  constructor(
    @Inject(DatasetStore) private readonly datasets: DatasetStore,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'store'>,
  ) {}

  list({ project }: Caller, query: ListDatasets): Promise<Page<DatasetView>> {
    return this.datasets.list(project.id, query);
  }

  /** @throws PilothouseError CONFLICT when the name is taken */
  create(caller: Caller, dataset: CreateDataset): Promise<DatasetView> {
    return this.build(caller, dataset, true);
  }

  /** @throws PilothouseError NOT_FOUND */
  async createVersion(caller: Caller, id: string): Promise<DatasetView> {
    const { name, query, shares, seed, license, consent } = await this.read(caller, id);
    return this.build(caller, { name, query, shares, seed, license, consent }, false);
  }

  private async build(caller: Caller, dataset: CreateDataset, isFirst: boolean): Promise<DatasetView> {
    const [id, job] = [newId(), newId()];
    const { id: project } = caller.project;
    await this.datasets.create({ ...dataset, id, job, project, createdBy: actorFrom(caller) }, isFirst);
    await this.queue.wake([job]);
    const { card: _, ...view } = await this.read(caller, id);
    return view;
  }

  /** @throws PilothouseError NOT_FOUND */
  async read({ project }: Caller, id: string): Promise<DatasetDetail> {
    const dataset = await this.datasets.read(project.id, id);
    if (!dataset) throw new PilothouseError('NOT_FOUND', `There is no dataset ${id}.`);
    return dataset;
  }

  /**
   * Deletes the objects, then the rows. A deletion that fails can be repeated.
   * @throws PilothouseError NOT_FOUND; CONFLICT while a job uses it
   */
  async delete(caller: Caller, id: string): Promise<DatasetDetail> {
    const dataset = await this.read(caller, id);
    await this.datasets.startDeletion(caller.project.id, id);
    let keys: string[] = [];
    for await (const key of this.objects.store.list(`datasets/${id}/`)) {
      keys.push(key);
      if (keys.length < DELETE_BATCH_SIZE) continue;
      await this.objects.store.delete(keys);
      keys = [];
    }
    await this.objects.store.delete(keys);
    await this.datasets.delete(caller.project.id, id);
    return dataset;
  }
}
