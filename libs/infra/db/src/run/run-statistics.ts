import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import type { Pool } from '../client/pg-pool.ts';

/** Number and model usage of runs with one status, submitted within an hour. */
export interface HourCount {
  readonly at: Date;
  readonly status: RunStatus;
  readonly runs: number;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** Outcomes of the runs of a project. */
export interface RunCounts {
  readonly hours: readonly HourCount[];
  readonly steps: { readonly total: number; readonly modelFree: number; readonly retries: number };
  /** Seconds from the first attempt of completed runs to their end; null: none completed. */
  readonly seconds: { readonly median: number; readonly p95: number } | null;
  readonly failures: readonly { readonly code: ErrorCode; readonly runs: number }[];
}

const HOURS = `
SELECT date_trunc('hour', created_at, 'UTC') AS at, status, count(*)::int AS runs, sum(used_calls)::float8 AS calls,
  sum(used_tokens)::float8 AS tokens, sum(used_usd) AS usd
FROM run WHERE project_id = $1 AND created_at >= $2 GROUP BY 1, 2`;

const STEPS = `
SELECT count(*)::int AS total, count(*) FILTER (WHERE s.tier = 0)::int AS "modelFree",
  (SELECT coalesce(sum(step_retries), 0)::int FROM run WHERE project_id = $1 AND created_at >= $2) AS retries
FROM run r JOIN run_step s ON s.run_id = r.id
WHERE r.project_id = $1 AND r.created_at >= $2 AND s.tier IS NOT NULL`;

const SECONDS = `
SELECT q[1] AS median, q[2] AS p95 FROM (
  SELECT percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at)::float8) AS q
  FROM run WHERE project_id = $1 AND created_at >= $2 AND status = 'completed' AND started_at IS NOT NULL
) AS quantiles WHERE q IS NOT NULL`;

const FAILURES = `
SELECT error ->> 'code' AS code, count(*)::int AS runs FROM run
WHERE project_id = $1 AND created_at >= $2 AND status = 'failed' AND error IS NOT NULL
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10`;

/** Counts runs submitted since a timestamp. Uses only the index of runs by project and time. */
export class RunStatistics {
  constructor(private readonly pool: Pool) {}

  async countSince(project: string, start: Date): Promise<RunCounts> {
    const values = [project, start];
    const [hours, steps, seconds, failures] = await Promise.all([
      this.pool.query<HourCount>(HOURS, values),
      this.pool.query<RunCounts['steps']>(STEPS, values),
      this.pool.query<NonNullable<RunCounts['seconds']>>(SECONDS, values),
      this.pool.query<RunCounts['failures'][number]>(FAILURES, values),
    ]);
    return {
      hours: hours.rows,
      steps: steps.rows[0] ?? { total: 0, modelFree: 0, retries: 0 },
      seconds: seconds.rows[0] ?? null,
      failures: failures.rows,
    };
  }
}

// Most runs are completed, so their number is the total minus the others. Each count is an index-only scan.
const COUNTS = `
SELECT
  (SELECT count(*)::int FROM run WHERE project_id = $1) AS "all",
  (SELECT coalesce(json_object_agg(status, runs), '{}') FROM (
    SELECT status, count(*)::int AS runs FROM run
    WHERE fleet_id = ANY (ARRAY(SELECT id FROM fleet)) AND project_id = $1 AND status IN ('queued', 'running', 'awaiting_user') GROUP BY status
    UNION ALL
    SELECT status, count(*)::int FROM run WHERE project_id = $1 AND status IN ('failed', 'cancelled') GROUP BY status
  ) s) AS others`;

/** Number of runs of a project, by status. */
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
