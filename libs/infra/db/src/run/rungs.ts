import type { TierUsage } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

/** Calls from before they had a rung are told by what was asked. */
const RUNGS = `
SELECT rung, sum(steps)::int AS steps, sum(seconds)::float8 AS seconds, sum(calls)::int AS calls, sum(tokens)::float8 AS tokens,
  sum(usd)::float8 AS usd, sum(model_seconds)::float8 AS "modelSeconds"
FROM (
  SELECT rung, count(*) AS steps, coalesce(sum(extract(epoch FROM finished_at - started_at)), 0) AS seconds,
    0 AS calls, 0 AS tokens, 0 AS usd, 0 AS model_seconds
  FROM run_step WHERE run_id = $1 AND rung IS NOT NULL GROUP BY rung
  UNION ALL
  SELECT coalesce((data->>'rung')::int, CASE data->>'role' WHEN 'plan' THEN 3 WHEN 'see' THEN 2 ELSE 1 END), 0, 0,
    count(*), sum((data->>'inputTokens')::float8 + (data->>'outputTokens')::float8), coalesce(sum((data->>'usd')::float8), 0),
    sum((data->>'ms')::float8) / 1000
  FROM run_event WHERE run_id = $1 AND type = 'model.called' GROUP BY 1
) AS parts GROUP BY rung ORDER BY rung`;

/** What each rung of the ladder took in a run, as its steps and events say it: nothing once the project no longer keeps those. */
export async function readTierUsage(pool: Pool, run: string): Promise<TierUsage[]> {
  const { rows } = await pool.query<TierUsage>({ name: 'run-rungs', text: RUNGS, values: [run] });
  return rows;
}
