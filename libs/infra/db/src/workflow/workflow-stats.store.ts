import { STATS_RUN_COUNT, type WorkflowStats } from '@pilothouse/contract/api/workflow-stats.schema';
import type { Pool } from '../client/pg-pool.ts';

/** Run statistics of a workflow, with the key of its thumbnail. */
export interface WorkflowStatsRow extends Omit<WorkflowStats, 'thumbnail'> {
  thumbnail: { key: string; source: 'upload' | 'run' } | null;
}

/** Number of completed runs searched for the last screenshot. */
const MAX_RECENT_RUNS = 20;

/** Uses the index of runs by workflow and time, with a few rows per workflow. */
const STATS = `
SELECT w.id, jsonb_path_exists(v.definition::jsonb, '$.** ? (@.action == "goal")') AS "usesAgent",
  p.kind AS "createdBy", ended.ended AS "finishedRuns", ended.completed, ended.retries, last.run AS "lastRun",
  CASE WHEN w.thumbnail_key IS NOT NULL THEN jsonb_build_object('key', w.thumbnail_key, 'source', 'upload')
       WHEN shot.key IS NOT NULL THEN jsonb_build_object('key', shot.key, 'source', 'run') END AS thumbnail
FROM workflow w
JOIN workflow_version v ON v.workflow_id = w.id AND v.version = coalesce(w.published_version, w.latest_version)
LEFT JOIN proposal p ON p.workflow_id = w.id AND p.version = v.version
LEFT JOIN LATERAL (
  SELECT count(*)::int AS ended, count(*) FILTER (WHERE status = 'completed')::int AS completed,
    coalesce(sum(step_retries), 0)::int AS retries FROM (
    SELECT status, step_retries FROM run WHERE workflow_id = w.id AND status IN ('completed', 'failed') ORDER BY created_at DESC LIMIT ${STATS_RUN_COUNT}
  ) AS newest
) AS ended ON true
LEFT JOIN LATERAL (
  SELECT json_build_object('id', id, 'status', status, 'createdAt', created_at) AS run FROM run
  WHERE workflow_id = w.id ORDER BY created_at DESC LIMIT 1
) AS last ON true
LEFT JOIN LATERAL (
  SELECT a.key FROM (
    SELECT id, created_at FROM run WHERE workflow_id = w.id AND status = 'completed' ORDER BY created_at DESC LIMIT ${MAX_RECENT_RUNS}
  ) AS r JOIN artifact a ON a.run_id = r.id
  WHERE w.thumbnail_key IS NULL AND a.kind = 'screenshot' AND a.stored_at IS NOT NULL
  ORDER BY r.created_at DESC, a.created_at DESC LIMIT 1
) AS shot ON true
WHERE w.id = ANY ($1::uuid[])`;

/** Statistics and thumbnails of workflows. */
export class WorkflowStatsStore {
  constructor(private readonly pool: Pool) {}

  /** Statistics by workflow id, in one statement. */
  async read(workflows: readonly string[]): Promise<ReadonlyMap<string, WorkflowStatsRow>> {
    const { rows } = await this.pool.query<WorkflowStatsRow & { id: string }>(STATS, [workflows]);
    return new Map(
      rows.map(({ id, lastRun, ...stats }) => [
        id,
        {
          ...stats,
          lastRun: lastRun && { ...lastRun, createdAt: new Date(lastRun.createdAt).toISOString() },
        },
      ]),
    );
  }

  /** @param key object of the thumbnail; null: none @returns key of the previous one */
  async setThumbnail(workflow: string, key: string | null): Promise<string | null> {
    const { rows } = await this.pool.query<{ key: string | null }>(
      `UPDATE workflow w SET thumbnail_key = $2 FROM (SELECT id, thumbnail_key FROM workflow WHERE id = $1 FOR UPDATE) AS before
       WHERE w.id = before.id RETURNING before.thumbnail_key AS key`,
      [workflow, key],
    );
    return rows[0]?.key ?? null;
  }
}
