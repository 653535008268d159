import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { CreateExport, ExportFile, ExportReport } from '@pilothouse/contract/learning/dataset-export.schema';
import type { DatasetCard, DatasetQuery, SplitShares } from '@pilothouse/contract/learning/dataset.schema';
import type { CorrectedAction, TraceQuality, TraceSource } from '@pilothouse/contract/learning/trace.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Pool, PoolClient } from '../client/pg-pool.ts';
import { inJobTransaction, saveJobCheckpoint, type JobLease } from '../job/job-leases.ts';

/** A dataset to be built. */
export interface DatasetToBuild {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly query: DatasetQuery;
  readonly shares: SplitShares;
  readonly seed: number;
  readonly license: string;
  readonly consent: string;
}

/** Position in the steps of a query. */
export interface StepCursor {
  readonly createdAt: string;
  readonly run: string;
  readonly ordinal: number;
}

/** A labeled step with the objects of its record and its screenshot. */
export interface SelectedStep {
  readonly cursor: StepCursor;
  readonly run: string;
  readonly ordinal: number;
  readonly workflowName: string;
  readonly sites: readonly string[];
  readonly quality: TraceQuality;
  readonly reason: string;
  readonly correctedThought: string | null;
  readonly correctedActions: CorrectedAction[] | null;
  readonly source: TraceSource;
  /** Key of the turn record; null: the record is missing. */
  readonly recordKey: string | null;
  readonly hasScreenshot: boolean;
  /** Key of the screenshot; null: no screenshot, or it is missing. */
  readonly screenshotKey: string | null;
}

/** Fields of the row of an example. */
export type DatasetItem = Pick<DatasetExample, 'run' | 'ordinal' | 'split' | 'quality' | 'textHash' | 'image'>;

/** Hashes of a stored example. */
export interface StoredHashes {
  readonly textHash: string;
  readonly perceptualHash: string | null;
  /** SHA-256 of the image; null: no image. */
  readonly imageSha256: string | null;
}

/** Conditions of a step of the trace t. */
const STEP_CONDITIONS = `($7::text[] IS NULL OR s.quality = ANY ($7)) AND ($8::text[] IS NULL OR s.source = ANY ($8))
  AND ($11::timestamptz IS NULL OR (t.created_at, t.run_id, s.ordinal) > ($11, $12::uuid, $13::int))`;

// Each project is read in the order of its index, so the time of a page does not grow with the dataset.
const SELECT_STEPS = `
SELECT t.run_id AS run, s.ordinal, t.workflow_name AS "workflowName", t.sites, s.quality, s.reason, s.corrected_thought AS "correctedThought",
  s.corrected_actions AS "correctedActions", s.source, a.key AS "recordKey", s.screenshot_id IS NOT NULL AS "hasScreenshot", p.key AS "screenshotKey",
  json_build_object('createdAt', t.created_at, 'run', t.run_id, 'ordinal', s.ordinal) AS cursor
FROM (
    SELECT page.* FROM project o CROSS JOIN LATERAL (
      SELECT t.run_id, t.created_at, t.workflow_name, t.sites FROM trace t
      WHERE t.project_id = o.id
        AND ($3::text[] IS NULL OR t.workflow_name = ANY ($3)) AND ($4::text[] IS NULL OR t.surface = ANY ($4))
        AND ($5::text[] IS NULL OR t.sites && $5::text[]) AND ($6::text[] IS NULL OR t.model = ANY ($6))
        AND ($9::timestamptz IS NULL OR t.created_at >= $9) AND ($10::timestamptz IS NULL OR t.created_at < $10)
        AND ($11::timestamptz IS NULL OR (t.created_at, t.run_id) >= ($11, $12::uuid))
        AND EXISTS (SELECT 1 FROM trace_step s WHERE s.run_id = t.run_id AND ${STEP_CONDITIONS})
      ORDER BY t.created_at, t.run_id LIMIT $14
    ) page
    WHERE o.id = $1 OR (o.slug = ANY ($2::text[]) AND o.learning->>'shareTraces' = 'true')
    ORDER BY page.created_at, page.run_id LIMIT $14
  ) t
  JOIN trace_step s ON s.run_id = t.run_id AND ${STEP_CONDITIONS}
  LEFT JOIN artifact a ON a.id = s.record_id AND a.stored_at IS NOT NULL
  LEFT JOIN artifact p ON p.id = s.screenshot_id AND p.stored_at IS NOT NULL
ORDER BY t.created_at, t.run_id, s.ordinal LIMIT $14`;

/**
 * Datasets and exports as jobs write them. Each write requires the lease of the job. `find` and `findExport` take a share lock on the dataset.
 * They wait for a concurrent `startDeletion`. A later `startDeletion` finds the running job and fails.
 * @throws PilothouseError LEASE_LOST
 */
export class DatasetBuildStore {
  constructor(private readonly pool: Pool) {}

  /** The dataset of a job; null if it was deleted, or is being deleted. */
  async find(project: string, id: string): Promise<DatasetToBuild | null> {
    const { rows } = await this.pool.query<DatasetToBuild>(
      `SELECT id, project_id AS project, name, version, query, shares, seed, license, consent FROM dataset
       WHERE project_id = $1 AND id = $2 AND status <> 'deleting' FOR SHARE`,
      [project, id],
    );
    return rows[0] ?? null;
  }

  /** The next steps of a query, by the creation of their runs. */
  async steps(
    { project, query }: Pick<DatasetToBuild, 'project' | 'query'>,
    cursor: StepCursor | null,
    limit: number,
  ): Promise<SelectedStep[]> {
    const { workflows, surfaces, sites, models, qualities, sources, from, to, projects } = query;
    const filters = [workflows, surfaces, sites, models, qualities, sources, from, to].map((value) => value ?? null);
    const { rows } = await this.pool.query<SelectedStep>(SELECT_STEPS, [
      ...[
        project,
        projects ?? null,
        ...filters,
        cursor?.createdAt ?? null,
        cursor?.run ?? null,
        cursor?.ordinal ?? null,
      ],
      limit,
    ]);
    return rows;
  }

  /** Hashes of the examples that are stored so far, to continue after a restart. */
  async storedHashes(dataset: string): Promise<StoredHashes[]> {
    const { rows } = await this.pool.query<StoredHashes>(
      'SELECT text_hash AS "textHash", perceptual_hash AS "perceptualHash", image_sha256 AS "imageSha256" FROM dataset_item WHERE dataset_id = $1',
      [dataset],
    );
    return rows;
  }

  /** Stores examples and the next checkpoint of the job. */
  async addItems(lease: JobLease, dataset: string, items: readonly DatasetItem[], checkpoint: Json): Promise<void> {
    const rows = items.map(({ image, ...item }) => ({
      ...item,
      perceptualHash: image?.perceptualHash ?? null,
      imageSha256: image?.sha256 ?? null,
    }));
    await inJobTransaction(this.pool, lease, async (client) => {
      await client.query(
        `INSERT INTO dataset_item (dataset_id, run_id, ordinal, split, quality, text_hash, perceptual_hash, image_sha256)
         SELECT $1, run, ordinal, split, quality, "textHash", "perceptualHash", "imageSha256"
         FROM json_to_recordset($2::json) AS n(run uuid, ordinal int, split text, quality text, "textHash" text, "perceptualHash" text, "imageSha256" text)`,
        [dataset, JSON.stringify(rows)],
      );
      await saveJobCheckpoint(client, lease, checkpoint);
    });
  }

  /** Marks a dataset as ready. It is stale if one of its runs was deleted during the build. */
  async complete(lease: JobLease, dataset: string, card: DatasetCard): Promise<void> {
    await inJobTransaction(this.pool, lease, (client) =>
      client.query(
        `UPDATE dataset SET status = 'ready', card = $2::json, example_count = $3, error = NULL, finished_at = now(),
           stale_at = CASE WHEN EXISTS (SELECT 1 FROM (SELECT DISTINCT run_id FROM dataset_item WHERE dataset_id = $1) i
             WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run_id)) THEN now() END
         WHERE id = $1`,
        [dataset, JSON.stringify(card), card.counts.examples],
      ),
    );
  }

  /** Marks a dataset as failed. */
  async fail(lease: JobLease, id: string, error: string): Promise<void> {
    await inJobTransaction(this.pool, lease, (client: PoolClient) =>
      client.query(`UPDATE dataset SET status = 'failed', error = $2, finished_at = now() WHERE id = $1`, [id, error]),
    );
  }

  /** Marks an export as failed, with the report of the steps that it rejected. */
  async failExport(
    lease: JobLease,
    id: string,
    { report, error }: { readonly report: ExportReport; readonly error: string },
  ): Promise<void> {
    await inJobTransaction(this.pool, lease, (client) =>
      client.query(
        `UPDATE dataset_export SET status = 'failed', report = $2::json, error = $3, finished_at = now() WHERE id = $1`,
        [id, JSON.stringify(report), error],
      ),
    );
  }

  /** The export of a job with the card of its dataset; null if it was deleted, or the dataset is not ready or being deleted. */
  async findExport(
    project: string,
    id: string,
  ): Promise<{ id: string; dataset: string; options: CreateExport; card: DatasetCard } | null> {
    const { rows } = await this.pool.query<{ id: string; dataset: string; options: CreateExport; card: DatasetCard }>(
      `SELECT e.id, e.dataset_id AS dataset, e.options, d.card FROM dataset_export e JOIN dataset d ON d.id = e.dataset_id
       WHERE d.project_id = $1 AND e.id = $2 AND d.card IS NOT NULL AND d.status <> 'deleting' FOR SHARE OF d`,
      [project, id],
    );
    return rows[0] ?? null;
  }

  /** Marks an export as ready. */
  async completeExport(
    lease: JobLease,
    id: string,
    { report, files }: { readonly report: ExportReport; readonly files: readonly ExportFile[] },
  ): Promise<void> {
    await inJobTransaction(this.pool, lease, (client) =>
      client.query(
        `UPDATE dataset_export SET status = 'ready', report = $2::json, files = $3::json, error = NULL, finished_at = now() WHERE id = $1`,
        [id, JSON.stringify(report), JSON.stringify(files)],
      ),
    );
  }
}
