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
import { TERMINAL_STATUSES_SQL } from '../retention/retention-queries.ts';

/** Runs that are measured in one transaction. */
const BATCH = 50;

/** Events of a run that are read. Longer runs are measured by their first events. */
const MAX_EVENTS = 20_000;

/** Decides what a run saved. */
export type Measure = (run: MeasuredRun, events: readonly Pick<RunEvent, 'type' | 'data'>[]) => RunMeasurement;

/** Progress of the measurement of ended runs. */
export interface MeasurementObserver {
  /** No batch starts after it aborts. */
  readonly signal: AbortSignal;
  /** New savings, after each batch is stored. */
  onSavings(savings: readonly Saving[]): void;
  /** A run whose measurement failed. It is not measured again. */
  onFailure(run: string, error: unknown): void;
}

interface Row {
  run: string;
  project: string | null;
  status: string;
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

/** A verification run of a compiled version is no use of it. The newest compiled version up to that of the run is its baseline. */
const RUN_COLUMNS = `
u.run_id AS run, r.project_id AS project, r.status, r.surface, r.definition, r.workflow_name AS "workflowName",
  r.used_tokens::float8 AS tokens, CASE WHEN r.unpriced_calls = 0 THEN r.used_usd END AS usd, r.used_seconds AS seconds, r.finished_at AS at,
  c.tokens AS "baselineTokens", c.usd AS "baselineUsd", c.seconds AS "baselineSeconds",
  EXISTS (SELECT FROM proposal p WHERE p.workflow_id = r.workflow_id AND p.verification_run_id = r.id) AS "isVerification"`;

const RUN_JOINS = `
LEFT JOIN run r ON r.id = u.run_id
LEFT JOIN LATERAL (
  SELECT c.tokens, c.usd, c.seconds FROM compilation c WHERE c.workflow_id = r.workflow_id AND c.version <= r.workflow_version
  ORDER BY c.version DESC LIMIT 1
) c ON true`;

/** Completed runs whose savings and goals are not measured yet. */
export class UnmeasuredRunStore {
  constructor(private readonly pool: Pool) {}

  /** Adds runs that healed a step. */
  async add(runs: readonly string[]): Promise<void> {
    await this.pool.query('INSERT INTO unmeasured_run (run_id) SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING', [
      runs,
    ]);
  }

  /** Adds those of the completed runs that have a goal or a compiled workflow. */
  async addCompleted(runs: readonly string[]): Promise<void> {
    await this.pool.query({
      name: 'add-unmeasured-runs',
      text: `INSERT INTO unmeasured_run (run_id)
        SELECT r.id FROM run r WHERE r.id = ANY ($1::uuid[]) AND (r.used_calls > 0 OR r.definition::text LIKE '%"goal"%'
          OR EXISTS (SELECT FROM compilation c WHERE c.workflow_id = r.workflow_id))
        ON CONFLICT DO NOTHING`,
      values: [runs],
    });
  }

  /**
   * Measures ended runs until there are no more. Several replicas may do so at a time: each run is measured once. A run whose measurement
   * fails is reported and removed.
   */
  async measureEnded(measure: Measure, { signal, onSavings, onFailure }: MeasurementObserver): Promise<void> {
    while (!signal.aborted) {
      const batch = await inTransaction(this.pool, (client) => measureBatch(client, measure));
      onSavings(batch.savings);
      for (const { run, error } of batch.failures) onFailure(run, error);
      if (batch.runs < BATCH) return;
    }
  }

  /**
   * Measures one completed run, even if it was not added. Waits for a replica that measures it.
   * @returns the new savings
   */
  measureRun(measure: Measure, run: string): Promise<Saving[]> {
    return inTransaction(this.pool, async (client) => {
      await client.query(
        `INSERT INTO unmeasured_run (run_id) SELECT $1::uuid WHERE NOT EXISTS (SELECT FROM goal_run WHERE run_id = $1) ON CONFLICT DO NOTHING`,
        [run],
      );
      const { rows } = await client.query<Row>({
        name: 'unmeasured-run',
        text: `SELECT ${RUN_COLUMNS} FROM unmeasured_run u ${RUN_JOINS}
          WHERE u.run_id = $1 AND (r.id IS NULL OR r.status IN ${TERMINAL_STATUSES_SQL}) FOR UPDATE OF u`,
        values: [run],
      });
      const savings: Saving[] = [];
      for (const row of rows) savings.push(...(await measureRow(client, measure, row)));
      await remove(client, rows);
      return savings;
    });
  }
}

/** Runs of a batch, with those whose measurement failed. */
interface MeasuredBatch {
  readonly runs: number;
  readonly savings: readonly Saving[];
  readonly failures: readonly { readonly run: string; readonly error: unknown }[];
}

async function measureBatch(client: PoolClient, measure: Measure): Promise<MeasuredBatch> {
  const { rows } = await client.query<Row>({
    name: 'ended-unmeasured-runs',
    text: `SELECT ${RUN_COLUMNS} FROM unmeasured_run u ${RUN_JOINS}
      WHERE r.id IS NULL OR r.status IN ${TERMINAL_STATUSES_SQL} ORDER BY u.run_id LIMIT ${BATCH} FOR UPDATE OF u SKIP LOCKED`,
  });
  const savings: Saving[] = [];
  const failures: { run: string; error: unknown }[] = [];
  for (const row of rows) {
    await client.query('SAVEPOINT measured_run');
    try {
      savings.push(...(await measureRow(client, measure, row)));
    } catch (error) {
      // Fails on a lost connection: the batch is then measured again.
      await client.query('ROLLBACK TO SAVEPOINT measured_run');
      failures.push({ run: row.run, error });
    }
    await client.query('RELEASE SAVEPOINT measured_run');
  }
  await remove(client, rows);
  return { runs: rows.length, savings, failures };
}

/** Stores what a run saved. @returns the savings that were not stored before */
async function measureRow(client: PoolClient, measure: Measure, row: Row): Promise<Saving[]> {
  if (row.project === null || row.status !== 'completed') return [];
  return store(client, row, measure(measuredRunOf(row), await eventsOf(client, row.run)));
}

async function remove(client: PoolClient, rows: readonly Row[]): Promise<void> {
  await client.query('DELETE FROM unmeasured_run WHERE run_id = ANY ($1::uuid[])', [rows.map(({ run }) => run)]);
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
