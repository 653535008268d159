import type { Budget, MonthBudget, ProjectModels } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

/** Whose run it is, which models it may ask, and what they took so far. */
export interface ModelCaller {
  readonly project: string;
  /** Its name in words. */
  readonly projectName: string;
  readonly models: ProjectModels | null;
  readonly budget: Budget;
  /** What all runs of the project may take in a month; null: nothing is said. */
  readonly month: MonthBudget | null;
  readonly usedTokens: number;
  readonly usedUsd: number;
  /** Prompts and answers are kept: the run says so, else its workflow, else its project. */
  readonly traced: boolean;
}

/** What has to be known before a model is asked for a run; null when this attempt of this session does not hold it. */
export async function modelCallerOf(
  pool: Pool,
  { run, epoch, session }: { run: string; epoch: number; session: string },
): Promise<ModelCaller | null> {
  const { rows } = await pool.query<ModelCaller>({
    name: 'model-caller',
    text: `SELECT r.project_id AS project, p.name AS "projectName", p.models, p.budgets->'month' AS month, r.budget, r.used_tokens::float8 AS "usedTokens", r.used_usd AS "usedUsd",
        COALESCE(r.record->>'trace', r.definition->>'trace', p.models->>'trace', 'none') = 'full' AS traced
      FROM run r JOIN project p ON p.id = r.project_id JOIN lease l ON l.run_id = r.id
      WHERE r.id = $1 AND r.epoch = $2 AND r.status = 'running' AND l.session = $3`,
    values: [run, epoch, session],
  });
  return rows[0] ?? null;
}
