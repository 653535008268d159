import { savingMechanisms, type SavedAmount, type Savings } from '@pilothouse/contract/run/savings.schema';
import type { Pool } from '../client/pg-pool.ts';

/** Maximum number of workflows in a result. */
const MAX_WORKFLOWS = 100;

/** Sums over savings. Dollars are null if no price is known, and 0 if there is nothing to sum. */
const AMOUNT = `count(DISTINCT run_id)::int AS runs, coalesce(sum(tokens), 0)::float8 AS tokens,
  CASE WHEN count(*) = 0 THEN 0 ELSE sum(usd) END AS usd, count(DISTINCT run_id) FILTER (WHERE usd IS NULL)::int AS "unpricedRuns",
  coalesce(sum(seconds), 0) AS seconds`;

const FROM = 'FROM run_saving WHERE project_id = $1 AND at >= $2 AND at < $3';

const noAmount: SavedAmount = { runs: 0, tokens: 0, usd: 0, unpricedRuns: 0, seconds: 0 };

/** Savings of the completed runs of a project. They are deleted with the run. */
export class SavingsStore {
  constructor(private readonly pool: Pool) {}

  /** Sums the savings of runs that ended in a period. */
  async read(project: string, start: Date, end: Date): Promise<Savings> {
    const values = [project, start, end];
    const [total, mechanisms, workflows, days] = await Promise.all([
      this.pool.query<SavedAmount>(`SELECT ${AMOUNT} ${FROM}`, values),
      this.pool.query<Savings['mechanisms'][number]>(
        `SELECT mechanism, sum(count)::int AS count, ${AMOUNT} ${FROM} GROUP BY mechanism`,
        values,
      ),
      this.pool.query<Savings['workflows'][number]>(
        `SELECT workflow_name AS workflow, ${AMOUNT} ${FROM} GROUP BY workflow_name
         ORDER BY sum(tokens) DESC, sum(seconds) DESC, workflow_name LIMIT ${MAX_WORKFLOWS}`,
        values,
      ),
      this.pool.query<Savings['days'][number]>(
        `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, mechanism, ${AMOUNT} ${FROM} GROUP BY 1, 2 ORDER BY 1, 2`,
        values,
      ),
    ]);
    return {
      from: start.toISOString(),
      to: end.toISOString(),
      total: total.rows[0] ?? noAmount,
      mechanisms: savingMechanisms.map(
        (mechanism) =>
          mechanisms.rows.find((row) => row.mechanism === mechanism) ?? { mechanism, count: 0, ...noAmount },
      ),
      workflows: workflows.rows,
      days: days.rows,
    };
  }
}
