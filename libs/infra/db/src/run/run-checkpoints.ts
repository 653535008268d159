import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import type { Pool } from '../client/pg-pool.ts';

/** Checkpoints of earlier attempts of a run. */
export async function readCheckpoints(pool: Pool, run: string): Promise<Checkpoint[]> {
  type Row = Omit<Checkpoint, 'path' | 'error' | 'failedAt'> & {
    path: string | null;
    error: ErrorView | null;
    failedAt: Date | null;
  };
  const { rows } = await pool.query<Row>({
    name: 'checkpoints',
    text: 'SELECT step, path, status, epoch, value, error, postcondition_was_false AS verifiable, attempts, CASE WHEN status = \'retrying\' THEN finished_at END AS "failedAt" FROM run_step WHERE run_id = $1 ORDER BY step',
    values: [run],
  });
  return rows.map(({ path, error, attempts = 1, failedAt, ...row }) => ({
    ...row,
    ...(path !== null && { path }),
    ...(error && { error }),
    ...(attempts > 1 && { attempts }),
    ...(failedAt && { failedAt: failedAt.toISOString() }),
  }));
}

/** Size of the values read by earlier attempts of a run, as JSON in bytes. */
export async function checkpointBytes(pool: Pool, run: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>({
    name: 'read-bytes',
    text: 'SELECT coalesce(sum(octet_length(value::text)), 0)::float8 AS bytes FROM run_step WHERE run_id = $1',
    values: [run],
  });
  return rows[0]?.bytes ?? 0;
}

/** Step from which an attempt may resume, with the sealed surface state; null without a safe point. */
export async function readSafePoint(pool: Pool, run: string): Promise<{ step: number; state: Buffer } | null> {
  const { rows } = await pool.query<{ step: number; state: Buffer }>({
    name: 'safe-point',
    text: 'SELECT step, state FROM safe_point WHERE run_id = $1',
    values: [run],
  });
  return rows[0] ?? null;
}

/** Limits: runs of the workflow to search, completed runs to use, and events of these. */
const RUNS = 50;
const COMPLETED = 5;
const EVENTS = 50;

/** A step of a run, and its events in earlier runs of the workflow. */
export interface PreviousStepRuns {
  readonly definition: unknown;
  readonly events: readonly PreviousStepEvent[];
}

/** An event about the step from an earlier run, newest run first. */
export interface PreviousStepEvent {
  readonly definition: unknown;
  readonly inputs: Record<string, Json>;
  readonly type: 'step.completed' | 'step.healed';
  readonly data: unknown;
}

const PATH_WITHOUT_INDEXES = `regexp_replace(coalesce(e.data->>'path', ((e.data->>'step')::int + 1)::text), '\\[\\d+\\]', '', 'g')`;

const COMPLETED_STEP_EVENTS = `
WITH current_run AS (SELECT id, project_id, workflow_id FROM run WHERE id = $1),
recent AS (
  SELECT r.id, r.status, r.created_at FROM run r, current_run
  WHERE r.workflow_id = current_run.workflow_id AND r.project_id = current_run.project_id AND r.id <> current_run.id
  ORDER BY r.created_at DESC LIMIT ${RUNS}
),
completed AS (SELECT id, created_at FROM recent WHERE status = 'completed' ORDER BY created_at DESC LIMIT ${COMPLETED})
SELECT r.definition, r.inputs, e.type, e.data
FROM completed f JOIN run r ON r.id = f.id JOIN run_event e ON e.run_id = f.id
WHERE e.type IN ('step.completed', 'step.healed') AND ${PATH_WITHOUT_INDEXES} = $2
ORDER BY f.created_at DESC, e.seq
LIMIT ${EVENTS}
`;

/**
 * Events of a step in completed runs of the same workflow.
 * @param path position of the step, without loop iterations
 * @returns null if the run was deleted
 */
export async function readPreviousSteps(pool: Pool, run: string, path: string): Promise<PreviousStepRuns | null> {
  const [current, formerEvents] = await Promise.all([
    pool.query<{ definition: unknown }>('SELECT definition FROM run WHERE id = $1', [run]),
    pool.query<PreviousStepEvent>({ name: 'previous-step-events', text: COMPLETED_STEP_EVENTS, values: [run, path] }),
  ]);
  const [row] = current.rows;
  return row ? { definition: row.definition, events: formerEvents.rows } : null;
}
