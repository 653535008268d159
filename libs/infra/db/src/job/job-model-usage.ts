import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import type { MonthBudget } from '@pilothouse/contract/run/budget.schema';
import type { RegistryRule } from '@pilothouse/core/learning/registry/registered-model-selection';
import { retryWhileUnavailable, type RetryDeadline } from '../client/database-availability.ts';
import type { Pool } from '../client/pg-pool.ts';
import { registryRules } from '../project/model-call-context.ts';
import type { ModelSpend } from '../project/model-spend.store.ts';
import type { JobLease } from './job-leases.ts';

/** Milliseconds for which the mark of a recorded call outlives the retries of its statement. */
const MARK_GRACE_MS = 180_000;

/** Models and monthly budget of the project of a job. */
export interface JobModelContext {
  /** Display name. */
  readonly projectName: string;
  readonly models: ProjectModels | null;
  /** Registered models of the project in the stages `shadow`, `canary` and `active`. */
  readonly registry: readonly RegistryRule[];
  /** Monthly budget of the project; null: unlimited. */
  readonly month: MonthBudget | null;
}

/** Usage of a model call of a job. */
export interface JobUsage extends ModelSpend {
  /** Id of the record: new. */
  readonly id: string;
  readonly job: string;
}

/** Context of a model call; null when this attempt does not hold the job. */
export async function readJobModelContext(pool: Pool, { id, epoch }: JobLease): Promise<JobModelContext | null> {
  const { rows } = await pool.query<JobModelContext>({
    name: 'job-model-caller',
    text: `SELECT p.name AS "projectName", p.models, p.budgets->'month' AS month,
        ${registryRules('j.project_id')} AS registry
      FROM job j JOIN project p ON p.id = j.project_id WHERE j.id = $1 AND j.epoch = $2 AND j.status = 'running'`,
    values: [id, epoch],
  });
  return rows[0] ?? null;
}

// As in ModelSpendStore, a row without an amount marks the statement as done for as long as it may be retried.
const ADD_USAGE = `
WITH mark AS (
  INSERT INTO model_spend_reservation (id, project_id, month, tokens, usd, expires_at)
  SELECT $1::uuid, project_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 0, 0, now() + $5::float8 * interval '1 ms'
  FROM job WHERE id = $2 ON CONFLICT (id) DO NOTHING RETURNING id
)
UPDATE job SET used_tokens = used_tokens + $3::bigint, used_usd = used_usd + $4::float8 WHERE id = $2 AND EXISTS (SELECT FROM mark)`;

/** Adds the usage of a call to its job once, also after the attempt has lost the job. @throws as `retryWhileUnavailable` */
export async function addJobUsage(pool: Pool, { id, job, tokens, usd }: JobUsage, limit: RetryDeadline): Promise<void> {
  await retryWhileUnavailable(() => {
    const markMs = limit.deadline - limit.clock.monotonic() + MARK_GRACE_MS;
    return pool.query({ name: 'add-job-usage', text: ADD_USAGE, values: [id, job, tokens, usd, markMs] });
  }, limit);
}
