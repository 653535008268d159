import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { SavingMechanism } from '@pilothouse/contract/run/savings.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import {
  measuredEventTypes,
  type MeasuredRun,
  type RunMeasurement,
  type Saving,
} from '@pilothouse/core/savings/run-measurement';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';

/** Events of a run that are read. Longer runs are measured by their first events. */
const MAX_EVENTS = 20_000;

/** Decides what a run saved. */
type Measure = (run: MeasuredRun, events: readonly Pick<RunEvent, 'type' | 'data'>[]) => RunMeasurement;

interface Row {
  run: string;
  project: string;
  surface: string;
  definition: unknown;
  workflowName: string;
  tokens: number;
  usd: number | null;
  seconds: number;
  at: Date;
  baselineTokens: number | null;
  baselineUsd: number | null;
  baselineSeconds: number;
  isVerification: boolean;
}

/** A run's baseline is the newest compiled version that is not newer than the run's version. A run that verifies a compiled version is not measured. */
const RUN_TO_MEASURE = `
SELECT r.id AS run, r.project_id AS project, r.surface, r.definition, r.workflow_name AS "workflowName",
  r.used_tokens::float8 AS tokens, CASE WHEN r.unpriced_calls = 0 THEN r.used_usd END AS usd, r.used_seconds AS seconds, r.finished_at AS at,
  c.tokens AS "baselineTokens", c.usd AS "baselineUsd", c.seconds AS "baselineSeconds",
  EXISTS (SELECT FROM proposal p WHERE p.workflow_id = r.workflow_id AND p.verification_run_id = r.id) AS "isVerification"
FROM run r LEFT JOIN LATERAL (
  SELECT c.tokens, c.usd, c.seconds FROM compilation c WHERE c.workflow_id = r.workflow_id AND c.version <= r.workflow_version
  ORDER BY c.version DESC LIMIT 1
) c ON true
WHERE r.id = $1 AND r.status = 'completed'`;

/** Measures completed runs. */
export class RunMeasurementStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Stores what a completed run saved, and its goal. A repeated measurement stores nothing; a run that is deleted or did not complete has none.
   * @returns the savings that were not stored before
   */
  measure(measure: Measure, run: string): Promise<Saving[]> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<Row>({ name: 'measured-run', text: RUN_TO_MEASURE, values: [run] });
      const [row] = rows;
      if (!row) return [];
      return store(client, row, measure(measuredRunOf(row), await eventsOf(client, row.run)));
    });
  }
}

async function eventsOf(client: PoolClient, run: string): Promise<Pick<RunEvent, 'type' | 'data'>[]> {
  const { rows } = await client.query<Pick<RunEvent, 'type' | 'data'>>({
    name: 'measured-events',
    text: `SELECT type, data FROM run_event WHERE run_id = $1 AND type = ANY ($2) ORDER BY seq LIMIT ${MAX_EVENTS}`,
    values: [run, measuredEventTypes],
  });
  return rows;
}

function measuredRunOf(row: Row): MeasuredRun {
  const { surface, definition, tokens, usd, seconds, baselineTokens, baselineUsd, baselineSeconds, isVerification } =
    row;
  const baseline =
    baselineTokens === null ? null : { tokens: baselineTokens, usd: baselineUsd, seconds: baselineSeconds };
  const parsed = workflowDefinitionSchema.safeParse(definition);
  return {
    surface,
    definition: parsed.success ? parsed.data : null,
    cost: { tokens, usd, seconds },
    baseline,
    isVerification,
  };
}

/** Stores a measurement. @returns the savings that were not stored before */
async function store(client: PoolClient, row: Row, { savings, goal }: RunMeasurement): Promise<Saving[]> {
  if (goal)
    await client.query(
      `INSERT INTO goal_run (run_id, project_id, intent_id, surface, site, goal, workflow_name, tokens, usd, seconds, action_count, at)
       VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'), $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
      [
        ...[row.run, row.project, goal.intent, row.surface, goal.site, goal.goal, row.workflowName],
        ...[row.tokens, row.usd, row.seconds, goal.actionCount, row.at],
      ],
    );
  const { rows } = await client.query<{ mechanism: SavingMechanism }>(
    `INSERT INTO run_saving (run_id, mechanism, project_id, workflow_name, count, tokens, usd, seconds, at)
     SELECT $1, s.mechanism, $2, $3, s.count, s.tokens, s.usd, s.seconds, $4
     FROM json_to_recordset($5::json) AS s(mechanism text, count int, tokens bigint, usd float8, seconds float8)
     ON CONFLICT DO NOTHING RETURNING mechanism`,
    [row.run, row.project, row.workflowName, row.at, JSON.stringify(savings)],
  );
  return savings.filter(({ mechanism }) => rows.some((stored) => stored.mechanism === mechanism));
}
