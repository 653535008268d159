import { tuningCheckpointSchema, type TuningCheckpoint } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { Pool } from '../client/pg-pool.ts';

/** Object key of an upload of a project. @returns null if the project has no such upload */
export async function findUploadKey(pool: Pool, project: string, upload: string): Promise<string | null> {
  const { rows } = await pool.query<{ key: string }>('SELECT key FROM upload WHERE project_id = $1 AND id = $2', [
    project,
    upload,
  ]);
  return rows[0]?.key ?? null;
}

/**
 * Finds a file of a ready export. Takes a share lock on the dataset, so that it waits for a concurrent deletion.
 * @returns dataset of the export, and address at its destination; null if there is no such file, or the dataset is being deleted
 */
export async function findExportedFile(
  pool: Pool,
  project: string,
  exportId: string,
  name: string,
): Promise<{ readonly dataset: string; readonly uri: string | null } | null> {
  const { rows } = await pool.query<{ dataset: string; uri: string | null }>(
    `SELECT d.id AS dataset, f->>'uri' AS uri FROM dataset_export e JOIN dataset d ON d.id = e.dataset_id, json_array_elements(e.files) f
     WHERE d.project_id = $1 AND e.id = $2 AND e.status = 'ready' AND f->>'name' = $3 AND d.status <> 'deleting' FOR SHARE OF d`,
    [project, exportId, name],
  );
  return rows[0] ?? null;
}

/** Returns whether an address is that of a file of a ready export of the project. */
export async function isExportedUri(pool: Pool, project: string, uri: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM dataset_export e JOIN dataset d ON d.id = e.dataset_id, json_array_elements(e.files) f
     WHERE d.project_id = $1 AND e.status = 'ready' AND f->>'uri' = $2 LIMIT 1`,
    [project, uri],
  );
  return rowCount === 1;
}

/** Stored progress of a tuning job. @returns null if it was not started at the tuner yet */
export async function readTuningCheckpoint(pool: Pool, project: string, job: string): Promise<TuningCheckpoint | null> {
  const { rows } = await pool.query<{ checkpoint: unknown }>(
    `SELECT checkpoint FROM job WHERE project_id = $1 AND id = $2 AND kind = 'tune' AND checkpoint IS NOT NULL`,
    [project, job],
  );
  return rows[0] ? tuningCheckpointSchema.parse(rows[0].checkpoint) : null;
}
