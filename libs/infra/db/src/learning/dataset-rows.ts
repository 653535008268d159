import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type {
  CreateExport,
  ExportFile,
  ExportReport,
  ExportView,
} from '@pilothouse/contract/learning/dataset-export.schema';
import type {
  DatasetCard,
  DatasetDetail,
  DatasetQuery,
  DatasetStatus,
  DatasetView,
  SplitShares,
} from '@pilothouse/contract/learning/dataset.schema';

/* Rows of datasets and exports, and the columns that select them. */

export interface DatasetRow {
  id: string;
  name: string;
  version: number;
  status: DatasetStatus;
  isStale: boolean;
  query: DatasetQuery;
  shares: SplitShares;
  seed: number;
  license: string;
  consent: string;
  exampleCount: number;
  job: string | null;
  error: string | null;
  createdBy: Actor | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/**
 * Status of a dataset or an export. Its job may end without writing the status: it fails after too many lost job runners, or
 * is cancelled before its start.
 */
const statusSql = (table: string, active: string) =>
  `CASE WHEN ${table}.status <> '${active}' THEN ${table}.status WHEN j.status IN ('failed', 'cancelled') THEN j.status ELSE '${active}' END AS status`;

const errorSql = (table: string) => `coalesce(${table}.error, j.error->>'message') AS error`;

/** Status of a dataset in `dataset d LEFT JOIN job j`. */
export const DATASET_STATUS_SQL = statusSql('d', 'building');

/** Columns of `dataset d LEFT JOIN job j`. */
export const DATASET_COLUMNS_SQL = `d.id, d.name, d.version, ${DATASET_STATUS_SQL}, d.stale_at IS NOT NULL AS "isStale", d.query, d.shares, d.seed,
  d.license, d.consent, d.example_count AS "exampleCount", j.id AS job, ${errorSql('d')}, d.created_by AS "createdBy",
  d.created_at AS "createdAt", coalesce(d.finished_at, j.finished_at) AS "finishedAt"`;

/** Columns of `dataset_export e LEFT JOIN job j`. */
export const EXPORT_COLUMNS_SQL = `e.id, e.dataset_id AS dataset, ${statusSql('e', 'running')}, e.options, e.report, e.files, j.id AS job, ${errorSql('e')},
  e.created_by AS "createdBy", e.created_at AS "createdAt", coalesce(e.finished_at, j.finished_at) AS "finishedAt"`;

export const toDataset = ({ createdAt, finishedAt, ...row }: DatasetRow): DatasetView => ({
  ...row,
  createdAt: createdAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
});

export const toDatasetDetail = ({ card, ...row }: DatasetRow & { card: DatasetCard | null }): DatasetDetail => ({
  ...toDataset(row),
  card,
});

export interface ExportRow {
  id: string;
  dataset: string;
  status: ExportView['status'];
  options: CreateExport;
  report: ExportReport | null;
  files: ExportFile[];
  job: string | null;
  error: string | null;
  createdBy: Actor | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export const toExport = ({ createdAt, finishedAt, ...row }: ExportRow): ExportView => ({
  ...row,
  createdAt: createdAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
});
