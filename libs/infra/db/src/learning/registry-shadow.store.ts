import type { ShadowResult, ShadowStats } from '@pilothouse/contract/learning/registry.schema';
import type { ModelRole } from '@pilothouse/contract/model/model.schema';
import { wilsonInterval } from '@pilothouse/core/evaluation/confidence-interval';
import type { Pool } from '../client/pg-pool.ts';

/** Stored calls of a model. Older ones are deleted. */
const MAX_CALLS = 10_000;

/** Old calls are deleted once in this number of calls. */
const DELETE_EVERY = 100;

/** A call of a model in the stage `shadow`. */
export interface ShadowCall {
  /** Id of the registered model. */
  readonly model: string;
  readonly run: string;
  /** null: the call belongs to no step. */
  readonly step: number | null;
  readonly role: ModelRole;
  readonly result: ShadowResult;
  /** Parts of the comparison; null: not comparable. */
  readonly hasSameKind: boolean | null;
  readonly hasSameTarget: boolean | null;
  readonly hasSameText: boolean | null;
  /** Model of the answer that the run used. */
  readonly baseModel: string;
  /** Error code, or the reason why the answer has no action; null: none. */
  readonly problem: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** null: not known. */
  readonly usd: number | null;
  /** null: no answer. */
  readonly durationMs: number | null;
}

const ADD = `
WITH added AS (
  INSERT INTO registry_shadow (model_id, run_id, step, role, result, same_kind, same_target, same_text, base_model, problem, input_tokens,
    output_tokens, usd, duration_ms)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 WHERE EXISTS (SELECT FROM registry_model WHERE id = $1)
  RETURNING id
)
DELETE FROM registry_shadow WHERE model_id = $1 AND (SELECT id FROM added) % ${DELETE_EVERY} = 0
  AND id <= (SELECT id FROM registry_shadow WHERE model_id = $1 ORDER BY id DESC OFFSET ${MAX_CALLS} LIMIT 1)`;

const READ = `
SELECT m.id AS model, stats.* FROM unnest($1::uuid[]) AS m(id) CROSS JOIN LATERAL (
  SELECT count(*)::int AS calls, count(*) FILTER (WHERE result = 'agreed')::int AS agreed, count(*) FILTER (WHERE result = 'disagreed')::int AS disagreed,
    count(*) FILTER (WHERE result = 'undetermined')::int AS undetermined, count(*) FILTER (WHERE result = 'failed')::int AS failed,
    COALESCE(sum(input_tokens), 0)::float8 AS "inputTokens", COALESCE(sum(output_tokens), 0)::float8 AS "outputTokens", COALESCE(sum(usd), 0) AS usd,
    (percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms))::int AS "medianMs"
  FROM (SELECT * FROM registry_shadow WHERE model_id = m.id ORDER BY id DESC LIMIT ${MAX_CALLS}) last
) stats WHERE stats.calls > 0`;

/** Calls of models in the stage `shadow`. */
export class RegistryShadowStore {
  constructor(private readonly pool: Pool) {}

  async add(call: ShadowCall): Promise<void> {
    const { model, run, step, role, result, hasSameKind, hasSameTarget, hasSameText, baseModel, problem } = call;
    const { inputTokens, outputTokens, usd, durationMs } = call;
    await this.pool.query(ADD, [
      ...[model, run, step, role, result, hasSameKind, hasSameTarget, hasSameText, baseModel, problem],
      ...[inputTokens, outputTokens, usd, durationMs],
    ]);
  }
}

/** The last calls of models by model id, without models that have none. */
export async function readShadowStats(pool: Pool, models: readonly string[]): Promise<Map<string, ShadowStats>> {
  if (models.length === 0) return new Map();
  const { rows } = await pool.query<Omit<ShadowStats, 'low' | 'high'> & { model: string }>(READ, [models]);
  return new Map(
    rows.map(({ model, ...stats }) => [
      model,
      { ...stats, ...wilsonInterval(stats.agreed, stats.agreed + stats.disagreed) },
    ]),
  );
}
