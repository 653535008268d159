import type { RunStatus } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

// Of a million runs most are completed: how many is what is left of all of them. Each count goes by an index alone.
const COUNTS = `
SELECT
  (SELECT count(*)::int FROM run WHERE project_id = $1) AS "all",
  (SELECT coalesce(json_object_agg(status, runs), '{}') FROM (
    SELECT status, count(*)::int AS runs FROM run
    WHERE fleet_id = ANY (ARRAY(SELECT id FROM fleet)) AND project_id = $1 AND status IN ('queued', 'running', 'awaiting_user') GROUP BY status
    UNION ALL
    SELECT status, count(*)::int FROM run WHERE project_id = $1 AND status IN ('failed', 'cancelled') GROUP BY status
  ) s) AS others`;

/** How many runs a project has, by status. */
export async function countRuns(pool: Pool, project: string): Promise<Record<RunStatus, number>> {
  type Others = Partial<Record<Exclude<RunStatus, 'completed'>, number>>;
  const { rows } = await pool.query<{ all: number; others: Others }>({
    name: 'count-runs',
    text: COUNTS,
    values: [project],
  });
  const { all, others } = rows[0] ?? { all: 0, others: {} };
  const { queued = 0, running = 0, awaiting_user = 0, failed = 0, cancelled = 0 } = others;
  const completed = all - queued - running - awaiting_user - failed - cancelled;
  return { queued, running, awaiting_user, completed, failed, cancelled };
}
