import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { RepeatedGoal } from '@pilothouse/contract/run/savings.schema';
import type { Pool } from '../client/pg-pool.ts';

/** Maximum number of goals in a result, and of runs of a goal. */
const MAX_GOALS = 100;
const MAX_RUNS = 20;

/** Days before a compiled run whose goal runs are its baseline. */
const BASELINE_DAYS = 30;

/** Days of the estimate. */
const MONTH_DAYS = 30;

export interface RepeatedGoalFilter {
  readonly start: Date;
  readonly days: number;
  readonly minRuns: number;
  readonly dismissed: boolean;
}

interface Row extends Pick<RepeatedGoal, 'id' | 'goal' | 'site' | 'surface' | 'count' | 'runs' | 'perRun' | 'best'> {
  lastRunAt: Date;
  dismissedAt: Date | null;
}

/** Goal runs with the same intent. A workflow that was compiled from one of them ends the offer until it is archived or deleted. */
const REPEATED = `
WITH repeated AS (
  SELECT intent_id, count(*)::int AS count, max(at) AS last_run_at, avg(tokens)::float8 AS tokens, avg(usd) AS usd, avg(seconds) AS seconds,
    sum(tokens) AS total, (array_agg(run_id ORDER BY at DESC))[1:${MAX_RUNS}] AS runs, (array_agg(run_id ORDER BY action_count, tokens, at DESC))[1] AS best
  FROM goal_run WHERE project_id = $1 AND at >= $2 GROUP BY intent_id HAVING count(*) >= $3 AND sum(tokens) > 0
)
SELECT g.intent_id AS id, b.goal, b.site, b.surface, g.count, g.runs, g.last_run_at AS "lastRunAt", d.dismissed_at AS "dismissedAt",
  json_build_object('tokens', g.tokens, 'usd', g.usd, 'seconds', g.seconds) AS "perRun",
  json_build_object('run', b.run_id, 'workflow', b.workflow_name, 'actions', b.action_count) AS best
FROM repeated g JOIN goal_run b ON b.run_id = g.best
LEFT JOIN dismissed_goal d ON d.project_id = $1 AND d.intent_id = g.intent_id
WHERE (d.intent_id IS NOT NULL) = $4
  AND NOT EXISTS (SELECT FROM compilation c JOIN workflow w ON w.id = c.workflow_id
    WHERE c.intent_id = g.intent_id AND w.project_id = $1 AND w.archived_at IS NULL)
ORDER BY g.total DESC, g.intent_id LIMIT ${MAX_GOALS}`;

/** Goals that completed repeatedly, and workflows compiled from them. */
export class RepeatedGoalStore {
  constructor(private readonly pool: Pool) {}

  /** Lists goals with at least `minRuns` completed runs since `from`, those with the most tokens first. */
  async list(project: string, { start, days, minRuns, dismissed }: RepeatedGoalFilter): Promise<RepeatedGoal[]> {
    const { rows } = await this.pool.query<Row>(REPEATED, [project, start, minRuns, dismissed]);
    return rows.map(({ lastRunAt, dismissedAt, ...row }) => {
      const runs = (row.count * MONTH_DAYS) / days;
      const { tokens, usd } = row.perRun;
      return {
        ...row,
        lastRunAt: lastRunAt.toISOString(),
        dismissedAt: dismissedAt?.toISOString() ?? null,
        perMonth: { runs, tokens: runs * tokens, usd: usd === null ? null : runs * usd },
      };
    });
  }

  /** Dismisses a goal. Returns false if no run has it. */
  async dismiss(project: string, id: string, actor: Actor | null): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `INSERT INTO dismissed_goal (project_id, intent_id, dismissed_by)
       SELECT $1, $2, $3 WHERE EXISTS (SELECT FROM goal_run WHERE project_id = $1 AND intent_id = $2)
       ON CONFLICT (project_id, intent_id) DO UPDATE SET intent_id = excluded.intent_id`,
      [project, id, JSON.stringify(actor)],
    );
    return rowCount === 1;
  }

  /** Lists a dismissed goal again. Returns false if it was not dismissed. */
  async restore(project: string, id: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('DELETE FROM dismissed_goal WHERE project_id = $1 AND intent_id = $2', [
      project,
      id,
    ]);
    return rowCount === 1;
  }

  /**
   * Records that a version was compiled from a measured run. Its baseline is the mean of the goal runs with the same intent that used a model.
   * A repeated compilation changes nothing.
   */
  async recordCompilation(run: string, workflow: string, version: number): Promise<void> {
    await this.pool.query(
      `INSERT INTO compilation (workflow_id, version, intent_id, tokens, usd, seconds, run_count)
       SELECT $2, $3, source.intent_id, coalesce(avg(g.tokens), 0), avg(g.usd), coalesce(avg(g.seconds), min(source.seconds)), count(g.run_id)
       FROM goal_run source LEFT JOIN goal_run g ON g.project_id = source.project_id AND g.intent_id = source.intent_id AND g.tokens > 0
         AND g.at > source.at - interval '${BASELINE_DAYS} days'
       WHERE source.run_id = $1 GROUP BY source.intent_id ON CONFLICT DO NOTHING`,
      [run, workflow, version],
    );
  }
}
