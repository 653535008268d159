import type { EventDraft } from '@pilothouse/contract/events/event-log.schema';
import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { Budget, MonthBudget } from '@pilothouse/contract/run/budget.schema';
import type { RegistryRule } from '@pilothouse/core/learning/registry/registered-model-selection';
import type { Pool } from '../client/pg-pool.ts';

/** Owner, allowed models and usage of a run. */
export interface ModelCallContext {
  readonly project: string;
  /** Display name. */
  readonly projectName: string;
  readonly models: ProjectModels | null;
  /** Model of the run, which replaces those of the project; null: none. */
  readonly model: string | null;
  readonly surface: SurfaceKind;
  /** Registered models of the project in the stages `shadow`, `canary` and `active`. */
  readonly registry: readonly RegistryRule[];
  readonly budget: Budget;
  /** Monthly budget of the project; null: unlimited. */
  readonly month: MonthBudget | null;
  readonly usedTokens: number;
  readonly usedUsd: number;
  /** Prompts and answers are stored: set by the run, else its workflow, else its project. */
  readonly traced: boolean;
}

/** Registered models of a project in the stages `shadow`, `canary` and `active`, as JSON. @param project SQL expression of its id */
export const registryRules = (project: string): string => `COALESCE((SELECT json_agg(json_build_object(
    'id', m.id, 'model', m.model, 'base', m.base, 'role', NULLIF(m.role, ''), 'surface', NULLIF(m.surface, ''),
    'dialect', m.dialect, 'stage', m.stage, 'canaryPercent', m.canary_percent, 'shadowPercent', m.shadow_percent))
  FROM registry_model m WHERE m.project_id = ${project} AND m.stage IN ('shadow', 'canary', 'active')), '[]')`;

/** Context of a model call for a run; null when this attempt of this session does not hold it. */
export async function readModelCallContext(
  pool: Pool,
  { run, epoch, session }: { run: string; epoch: number; session: string },
): Promise<ModelCallContext | null> {
  const { rows } = await pool.query<ModelCallContext>({
    name: 'model-caller',
    text: `SELECT r.project_id AS project, p.name AS "projectName", p.models, r.model, r.surface, p.budgets->'month' AS month, r.budget, r.used_tokens::float8 AS "usedTokens", r.used_usd AS "usedUsd",
        COALESCE(r.capture->>'trace', r.definition->>'trace', p.models->>'trace', 'none') = 'full' AS traced,
        ${registryRules('r.project_id')} AS registry
      FROM run r JOIN project p ON p.id = r.project_id JOIN lease l ON l.run_id = r.id
      WHERE r.id = $1 AND r.epoch = $2 AND r.status = 'running' AND l.session = $3`,
    values: [run, epoch, session],
  });
  return rows[0] ?? null;
}

/** Returns whether the event with the usage of a call is already recorded. */
export async function isEventStored(
  pool: Pool,
  run: string,
  { type, at, data }: Pick<EventDraft, 'type' | 'at' | 'data'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT FROM run_event WHERE run_id = $1 AND type = $2 AND occurred_at = $3 AND data::jsonb = $4::jsonb',
    [run, type, at, JSON.stringify(data)],
  );
  return rowCount !== 0;
}
