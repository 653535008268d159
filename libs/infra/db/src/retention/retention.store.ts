import type { Pool } from '../client/pg-pool.ts';
import { markStaleSql } from '../learning/dataset.store.ts';
import {
  KEEPS_TURNS_SQL,
  type Cutoffs,
  type RetentionCounts,
  type RunPastRetention,
  type StoredObject,
  TERMINAL_STATUSES_SQL,
  deleteUploads,
  findRunsPastRetention,
  oldestRemainingRun,
  previewRetention,
  readCutoffs,
} from './retention-queries.ts';

/** A file of a run: announced, and usually stored. */
export interface ExpiredArtifact extends StoredObject {
  stored: boolean;
}

/** Removes expired rows of a project. Each call is atomic. */
export class RetentionStore {
  constructor(private readonly pool: Pool) {}

  /** Projects with a retention limit. */
  async projects(): Promise<{ id: string; slug: string }[]> {
    const { rows } = await this.pool.query<{ id: string; slug: string }>(
      'SELECT id, slug FROM project WHERE coalesce(retention_runs_days, retention_events_days, retention_artifacts_days) IS NOT NULL ORDER BY slug',
    );
    return rows;
  }

  cutoffs(project: string): Promise<Cutoffs> {
    return readCutoffs(this.pool, project);
  }

  preview(project: string, cutoffs: Cutoffs): Promise<RetentionCounts> {
    return previewRetention(this.pool, project, cutoffs);
  }

  oldestRemaining(project: string, cutoff: Date | null): Promise<Date | null> {
    return oldestRemainingRun(this.pool, project, cutoff);
  }

  dueRuns(project: string, cutoff: Date, size: number): AsyncGenerator<RunPastRetention[]> {
    return findRunsPastRetention(this.pool, project, cutoff, size);
  }

  /** See `deleteUploads`. @param remove removes the objects before the rows are deleted */
  removeUploads(
    project: string,
    cutoff: Date,
    limit: number,
    remove: (uploads: readonly StoredObject[]) => Promise<void>,
  ): Promise<StoredObject[]> {
    return deleteUploads(this.pool, project, cutoff, limit, remove);
  }

  /** Files of finished runs, including announced ones: their objects may exist. Records of turns that are kept are left out. */
  async artifactsOf(runs: readonly string[], limit: number): Promise<ExpiredArtifact[]> {
    const { rows } = await this.pool.query<ExpiredArtifact>({
      name: 'artifacts-of-ended',
      text: `SELECT a.id, a.key, a.size, a.stored_at IS NOT NULL AS stored FROM artifact a JOIN run r ON r.id = a.run_id
             WHERE a.run_id = ANY ($1::uuid[]) AND r.status IN ${TERMINAL_STATUSES_SQL}
               AND NOT (a.kind = 'turn' AND ${KEEPS_TURNS_SQL}) ORDER BY a.run_id, a.id LIMIT $2`,
      values: [runs, limit],
    });
    return rows;
  }

  async deleteArtifacts(ids: readonly string[]): Promise<void> {
    await this.pool.query('DELETE FROM artifact WHERE id = ANY ($1::uuid[])', [ids]);
  }

  /** Removes events and checkpoints of finished runs. @returns number of events */
  async removeEvents(runs: readonly string[]): Promise<number> {
    const { rows } = await this.pool.query<{ events: number }>({
      name: 'remove-events',
      text: `WITH ended AS (SELECT id FROM run WHERE id = ANY ($1::uuid[]) AND status IN ${TERMINAL_STATUSES_SQL}),
             steps AS (DELETE FROM run_step s USING ended d WHERE s.run_id = d.id),
             events AS (DELETE FROM run_event e USING ended d WHERE e.run_id = d.id RETURNING 1)
             SELECT count(*) AS events FROM events`,
      values: [runs],
    });
    return rows[0]?.events ?? 0;
  }

  /** Removes runs that ended before a cutoff, and marks datasets that contain them as stale. A run with files remains: without its row their objects could not be found. */
  async removeRuns(runs: readonly string[], cutoff: Date): Promise<number> {
    const { rows } = await this.pool.query<{ removed: number }>({
      name: 'remove-runs',
      text: `WITH removed AS (
               DELETE FROM run r WHERE id = ANY ($1::uuid[]) AND status IN ${TERMINAL_STATUSES_SQL} AND finished_at < $2
               AND NOT EXISTS (SELECT 1 FROM artifact a WHERE a.run_id = r.id) RETURNING r.id),
             stale AS (${markStaleSql('SELECT id FROM removed')})
             SELECT count(*) AS removed FROM removed`,
      values: [runs, cutoff],
    });
    return rows[0]?.removed ?? 0;
  }
}
