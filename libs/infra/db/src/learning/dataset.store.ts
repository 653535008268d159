import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CreateExport, ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type {
  CreateDataset,
  DatasetCard,
  DatasetDetail,
  DatasetStatus,
  DatasetView,
} from '@pilothouse/contract/learning/dataset.schema';
import type { JobKind } from '@pilothouse/contract/job/job.schema';
import { decodeCursor, parseInstantCursor, toPage } from '../client/cursor-pagination.ts';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';
import {
  DATASET_COLUMNS_SQL,
  DATASET_STATUS_SQL,
  EXPORT_COLUMNS_SQL,
  toDataset,
  toDatasetDetail,
  toExport,
  type DatasetRow,
  type ExportRow,
} from './dataset-rows.ts';
import { insertJob } from '../job/job.store.ts';

/** A dataset to be built. */
export interface NewDataset extends CreateDataset {
  readonly id: string;
  readonly job: string;
  readonly project: string;
  readonly createdBy: Actor | null;
}

/** An export to be written. */
export interface NewExport {
  readonly id: string;
  readonly job: string;
  readonly project: string;
  readonly dataset: string;
  readonly options: CreateExport;
  readonly createdBy: Actor | null;
}

/** Filter and page of a list of datasets. */
export interface ListDatasets {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly name?: string | undefined;
}

const FROM_DATASET = 'FROM dataset d LEFT JOIN job j ON j.id = d.job_id';
const FROM_EXPORT = 'FROM dataset_export e JOIN dataset d ON d.id = e.dataset_id LEFT JOIN job j ON j.id = e.job_id';

/** Selects an active job that reads or writes the dataset $2 of the project $1. */
const SELECT_ACTIVE_JOB = `
SELECT j.id, j.kind FROM job j
WHERE j.project_id = $1 AND j.status IN ('queued', 'running')
  AND (j.kind IN ('build_dataset', 'export', 'evaluate') AND lower(j.params->>'dataset') = $2::uuid::text
    OR j.kind = 'tune' AND EXISTS (SELECT FROM dataset_export e WHERE e.dataset_id = $2::uuid
      AND e.id::text IN (lower(j.params->'training'->>'export'), lower(j.params->'validation'->>'export'))))
ORDER BY j.created_at, j.id LIMIT 1`;

/** Datasets of projects and their exports, as clients see and change them. */
export class DatasetStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Creates the next version of a dataset, and the job that builds it.
   * @param isFirst the name must be new
   * @returns its version
   * @throws PilothouseError CONFLICT when the name is taken
   */
  create(dataset: NewDataset, isFirst: boolean): Promise<number> {
    const { id, job, project, name, query, shares, seed, license, consent, createdBy } = dataset;
    return inTransaction(this.pool, async (client) => {
      // Versions of a project are numbered one after the other.
      await client.query('SELECT 1 FROM project WHERE id = $1 FOR NO KEY UPDATE', [project]);
      const version = await nextVersion(client, project, name);
      if (isFirst && version > 1)
        throw new PilothouseError(
          'CONFLICT',
          `The dataset ${name} exists. Create a new version of it, or use another name.`,
        );
      await client.query(
        `INSERT INTO dataset (id, project_id, name, version, query, shares, seed, license, consent, job_id, created_by)
         VALUES ($1, $2, $3, $4, $5::json, $6::json, $7, $8, $9, $10, $11::jsonb)`,
        [
          ...[id, project, name, version, JSON.stringify(query), JSON.stringify(shares), seed, license, consent, job],
          createdBy && JSON.stringify(createdBy),
        ],
      );
      await insertJob(client, {
        id: job,
        project,
        kind: 'build_dataset',
        params: { dataset: id },
        ...creator(createdBy),
      });
      return version;
    });
  }

  /** Lists the datasets of a project, newest first. */
  async list(project: string, { limit, cursor, name }: ListDatasets): Promise<Page<DatasetView>> {
    const position = decodeCursor(cursor, parseInstantCursor);
    const { rows } = await this.pool.query<DatasetRow>(
      `SELECT ${DATASET_COLUMNS_SQL} ${FROM_DATASET}
       WHERE d.project_id = $1 AND ($2::text IS NULL OR d.name = $2) AND ($3::timestamptz IS NULL OR (d.created_at, d.id) < ($3, $4::uuid))
       ORDER BY d.created_at DESC, d.id DESC LIMIT $5`,
      [project, name ?? null, position?.instant ?? null, position?.id ?? null, limit + 1],
    );
    return toPage(rows, limit, toDataset, (row) => [row.createdAt.getTime(), row.id]);
  }

  /** Reads a dataset with its card; null if the project has no such dataset. */
  async read(project: string, id: string): Promise<DatasetDetail | null> {
    const { rows } = await this.pool.query<DatasetRow & { card: DatasetCard | null }>(
      `SELECT ${DATASET_COLUMNS_SQL}, d.card ${FROM_DATASET} WHERE d.project_id = $1 AND d.id = $2`,
      [project, id],
    );
    return rows[0] ? toDatasetDetail(rows[0]) : null;
  }

  /**
   * Sets the status to `deleting`, so that no new job can use the dataset. Then delete the objects and call `delete`. Idempotent.
   * @throws PilothouseError NOT_FOUND; CONFLICT while a job uses it
   */
  startDeletion(project: string, id: string): Promise<void> {
    return inTransaction(this.pool, async (client) => {
      await lockDataset(client, project, id);
      const { rows } = await client.query<{ id: string; kind: JobKind }>(SELECT_ACTIVE_JOB, [project, id]);
      const [job] = rows;
      if (job)
        throw new PilothouseError(
          'CONFLICT',
          `The ${job.kind} job ${job.id} uses the dataset. Cancel the job or wait for its end, then delete the dataset again.`,
        );
      await client.query(`UPDATE dataset SET status = 'deleting' WHERE id = $1`, [id]);
    });
  }

  /** Removes the rows of a dataset and its exports, after `startDeletion`. */
  async delete(project: string, id: string): Promise<void> {
    await this.pool.query(`DELETE FROM dataset WHERE project_id = $1 AND id = $2 AND status = 'deleting'`, [
      project,
      id,
    ]);
  }

  /**
   * Creates an export and the job that writes it.
   * @throws PilothouseError NOT_FOUND; CONFLICT when the dataset is not ready
   */
  createExport({ id, job, project, dataset, options, createdBy }: NewExport): Promise<void> {
    return inTransaction(this.pool, async (client) => {
      const status = await lockDataset(client, project, dataset);
      if (status === 'deleting')
        throw new PilothouseError('CONFLICT', 'The dataset is being deleted. Export another dataset.');
      if (status !== 'ready')
        throw new PilothouseError(
          'CONFLICT',
          `The dataset is ${status}. Only a dataset that is ready can be exported.`,
        );
      await client.query(
        `INSERT INTO dataset_export (id, dataset_id, options, job_id, created_by) VALUES ($1, $2, $3::json, $4, $5::jsonb)`,
        [id, dataset, JSON.stringify(options), job, createdBy && JSON.stringify(createdBy)],
      );
      await insertJob(client, {
        id: job,
        project,
        kind: 'export',
        params: { dataset, export: id },
        ...creator(createdBy),
      });
    });
  }

  /** Exports of a dataset, newest first, at most 100. */
  async exports(project: string, dataset: string): Promise<ExportView[]> {
    const { rows } = await this.pool.query<ExportRow>(
      `SELECT ${EXPORT_COLUMNS_SQL} ${FROM_EXPORT} WHERE d.project_id = $1 AND d.id = $2 ORDER BY e.created_at DESC, e.id DESC LIMIT 100`,
      [project, dataset],
    );
    return rows.map(toExport);
  }

  /** Reads an export; null if the dataset has no such export. */
  async readExport(project: string, dataset: string, id: string): Promise<ExportView | null> {
    const { rows } = await this.pool.query<ExportRow>(
      `SELECT ${EXPORT_COLUMNS_SQL} ${FROM_EXPORT} WHERE d.project_id = $1 AND d.id = $2 AND e.id = $3`,
      [project, dataset, id],
    );
    return rows[0] ? toExport(rows[0]) : null;
  }
}

const creator = (createdBy: Actor | null) => (createdBy ? { createdBy } : {});

/**
 * Locks a dataset until the end of the transaction, so that a deletion and a new export exclude each other.
 * @throws PilothouseError NOT_FOUND
 */
async function lockDataset(client: PoolClient, project: string, id: string): Promise<DatasetStatus> {
  const { rows } = await client.query<{ status: DatasetStatus }>(
    `SELECT ${DATASET_STATUS_SQL} ${FROM_DATASET} WHERE d.project_id = $1 AND d.id = $2 FOR UPDATE OF d`,
    [project, id],
  );
  if (!rows[0]) throw new PilothouseError('NOT_FOUND', `There is no dataset ${id}.`);
  return rows[0].status;
}

async function nextVersion(client: PoolClient, project: string, name: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) + 1 AS version FROM dataset WHERE project_id = $1 AND name = $2',
    [project, name],
  );
  return rows[0]?.version ?? 1;
}

/** Statement that marks the datasets with a deleted run as stale. @param runs query of the ids of the runs */
export const markStaleSql = (runs: string): string =>
  `UPDATE dataset SET stale_at = now() WHERE stale_at IS NULL AND id IN (SELECT dataset_id FROM dataset_item WHERE run_id IN (${runs}))`;
