/** Single columns of a run that the API needs for decisions. */
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { terminalStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import type { Pool } from '../client/pg-pool.ts';

/** The workflow definition of a run; undefined if the run was deleted. */
export async function readRunDefinition(pool: Pool, run: string): Promise<unknown> {
  const { rows } = await pool.query<{ definition: unknown }>('SELECT definition FROM run WHERE id = $1', [run]);
  return rows[0]?.definition;
}

/** The status of a run, and whether its cancellation is requested. */
export interface RunCancelState {
  readonly status: RunStatus;
  readonly cancelling: boolean;
}

/** Cancel state of a run; null when the run does not exist. */
export async function readCancelState(pool: Pool, run: string): Promise<RunCancelState | null> {
  const { rows } = await pool.query<RunCancelState>(
    'SELECT status, cancel_requested_at IS NOT NULL AS cancelling FROM run WHERE id = $1',
    [run],
  );
  return rows[0] ?? null;
}

/** Runs that belong to a run and have not ended. */
export async function readActiveChildRuns(pool: Pool, parent: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM run WHERE parent_run_id = $1 AND status <> ALL ($2::text[]) ORDER BY created_at, id`,
    [parent, terminalStatuses],
  );
  return rows.map(({ id }) => id);
}

/** The open question of a run. */
export interface OpenQuestion {
  question: RunQuestion;
  /** Attempt that asked the question. */
  epoch: number;
  /** Milliseconds since the run started. */
  ms: number;
}

/** The open question of a run; null without one. */
export async function readOpenQuestion(pool: Pool, run: string): Promise<OpenQuestion | null> {
  const { rows } = await pool.query<OpenQuestion>(
    `SELECT question, epoch, extract(epoch FROM now() - coalesce(started_at, created_at))::float8 * 1000 AS ms
     FROM run WHERE id = $1 AND status = 'awaiting_user'`,
    [run],
  );
  return rows[0] ?? null;
}

/** Number of the newest event of each run. Deleted runs are omitted. */
export async function readEventHeads(pool: Pool, runs: readonly string[]): Promise<{ run: string; seq: number }[]> {
  const { rows } = await pool.query<{ run: string; seq: number }>({
    name: 'heads',
    text: 'SELECT id AS run, event_seq AS seq FROM run WHERE id = ANY ($1::uuid[])',
    values: [runs],
  });
  return rows;
}
