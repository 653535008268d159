import type { Pool } from '@pilothouse/infra-db';
import type { FleetName } from '../system/chaos-settings.ts';
import type { StepFacts } from '../plan/random-workflow.ts';
import { until } from '../../harness/poll-until.ts';
import type { EventFacts, CachedActionFacts, RepairFacts, RunFacts } from './stored-run.ts';

/** An unfinished run. */
export interface RunState {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly epoch: number;
  readonly events: number;
  readonly worker: string | null;
  /** Step that a person is asked about. */
  readonly questionStep: number | null;
}

/** Reads the current runs of a case. */
export async function readRunStates(pool: Pool, label: string): Promise<RunState[]> {
  const { rows } = await pool.query<RunState>(
    `SELECT id, labels->>'key' AS key, status, epoch, event_seq AS events, worker_name AS worker,
            (question->>'step')::int AS "questionStep"
     FROM run WHERE labels->>'case' = $1`,
    [label],
  );
  return rows;
}

/**
 * Reads the runs of a case for the checker.
 * @param stepsOf steps by Idempotency-Key
 */
export async function readRuns(
  pool: Pool,
  label: string,
  stepsOf: ReadonlyMap<string, readonly StepFacts[]>,
): Promise<RunFacts[]> {
  const { rows } = await pool.query<Omit<RunFacts, 'steps'>>(
    `SELECT r.id, r.status, r.epoch, r.event_seq AS "eventSeq", r.used_steps AS "usedSteps", r.error->>'code' AS "errorCode", r.labels->>'key' AS key,
            r.definition->>'onWorkerLost' AS "onWorkerLost", l.run_id IS NOT NULL AS "hasLease", s.run_id IS NOT NULL AS "hasSafePoint"
     FROM run r LEFT JOIN lease l ON l.run_id = r.id LEFT JOIN safe_point s ON s.run_id = r.id
     WHERE r.labels->>'case' = $1`,
    [label],
  );
  return rows.map((row) => ({ ...row, steps: stepsOf.get(row.key) ?? [] }));
}

/** Reads every event of the runs of a case, with the time at which each became durable. */
export async function readEvents(pool: Pool, label: string): Promise<EventFacts[]> {
  const { rows } = await pool.query<EventFacts>(
    `SELECT e.run_id AS run, e.seq, e.epoch, e.attempt_seq AS n, e.type, e.data,
            (extract(epoch FROM pg_xact_commit_timestamp(e.xmin)) * 1000)::float8 AS "durableAt"
     FROM run_event e JOIN run r ON r.id = e.run_id WHERE r.labels->>'case' = $1 ORDER BY e.run_id, e.seq`,
    [label],
  );
  return rows;
}

/** Reads all cache writes of the runs of a case, including overwritten ones. */
export async function readCachedActions(pool: Pool, label: string): Promise<CachedActionFacts[]> {
  const { rows } = await pool.query<CachedActionFacts>(
    `SELECT k.run_id AS run, count(*)::int AS turns,
            (count(*) FILTER (WHERE EXISTS (SELECT FROM json_array_elements(k.actions) action WHERE action->>'kind' = 'done')))::int AS ends,
            (max(extract(epoch FROM pg_xact_commit_timestamp(k.xmin))) * 1000)::float8 AS at
     FROM chaos_remembered k JOIN run r ON r.id = k.run_id WHERE r.labels->>'case' = $1 GROUP BY k.run_id, k.keeping`,
    [label],
  );
  return rows;
}

/** Names of all workers that a fleet ever had. */
export async function workersOf(pool: Pool, fleet: FleetName): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT w.name FROM worker w JOIN fleet f ON f.id = w.fleet_id WHERE f.name = $1',
    [fleet],
  );
  return rows.map(({ name }) => name);
}

/** True when a run has begun a step, or has ended. */
export async function hasStartedStep(pool: Pool, run: string, step: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT 1 FROM run_event WHERE run_id = $1 AND ((type = 'step.started' AND (data->>'step')::int = $2)
       OR type IN ('run.completed', 'run.failed', 'run.cancelled')) LIMIT 1`,
    [run, step],
  );
  return rowCount !== 0;
}

/** True when a step of a run of a workflow was healed. */
export async function isHealedRunStored(pool: Pool, workflow: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT 1 FROM run WHERE workflow_name = $1 AND has_healed_step LIMIT 1', [
    workflow,
  ]);
  return rowCount !== 0;
}

/** Milliseconds in which the healed steps of ended runs are processed. */
const PROPOSED_MS = 60_000;

/** Reads the proposals of workflows after all recorded healing is processed. */
export async function readRepairs(pool: Pool, workflows: readonly string[]): Promise<RepairFacts[]> {
  if (workflows.length === 0) return [];
  const pending = `SELECT 1 FROM run_reaction t JOIN run r ON r.id = t.run_id
    WHERE t.reaction = 'propose_repair' AND r.workflow_name = ANY ($1)`;
  const areProcessed = async () => (await pool.query(pending, [workflows])).rowCount === 0;
  await until('healed runs are processed', areProcessed, PROPOSED_MS);
  const { rows } = await pool.query<RepairFacts>(
    `SELECT w.name AS workflow,
       (SELECT count(DISTINCT r.id) FROM run r JOIN run_event e ON e.run_id = r.id AND e.type = 'step.healed'
        WHERE r.workflow_id = w.id AND r.status = 'completed')::int AS healed,
       (SELECT count(*) FROM proposal p WHERE p.workflow_id = w.id AND p.status <> 'superseded')::int AS proposals
     FROM workflow w WHERE w.name = ANY ($1)`,
    [workflows],
  );
  return rows;
}
