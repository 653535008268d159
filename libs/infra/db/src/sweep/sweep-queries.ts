import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import type { Pool, PoolClient } from '../client/pg-pool.ts';
import { WAITS_FOR_CONTROL_SQL } from '../run/control-session.store.ts';

const ago = (milliseconds: string) => `now() - ${milliseconds} * interval '1 millisecond'`;

/** Rows of lease `l` and run `r` whose lease expired, or whose claim was not accepted in time. */
const hasEnded = (acceptMs: string) =>
  `r.status IN ('running', 'awaiting_user') AND (l.expires_at < now() OR (l.accepted_at IS NULL AND l.claimed_at < ${ago(acceptMs)}))`;
/** Only before the first attempt: a returned run does not expire. */
const hasExpired = `status = 'queued' AND epoch = 0 AND queue_expires_at < now()`;
const isUnanswered = `status = 'awaiting_user' AND question_expires_at < now()`;
const isDisconnected = (silentMs: string) => `state <> 'disconnected' AND last_seen_at < ${ago(silentMs)}`;
const leased = 'FROM lease l JOIN run r ON r.id = l.run_id';
/** Runs whose cancellation is overdue. A run that waits for an answer may have no lease. */
const fromOverdue = (graceMs: string) =>
  `FROM (SELECT r.* ${leased} WHERE r.status = 'running' AND r.cancel_requested_at < ${ago(graceMs)}
     UNION ALL SELECT * FROM run WHERE status = 'awaiting_user' AND cancel_requested_at < ${ago(graceMs)}) r`;

/** Milliseconds after which the sweeper acts. */
export interface SweepThresholds {
  /** For a claim without acceptance. */
  acceptMs: number;
  /** For a cancellation that the worker has not confirmed. */
  graceMs: number;
  /** For a worker without a renewal. */
  silentMs: number;
  /** For an enqueued run without a claim. */
  jobGraceMs: number;
}

/** Tasks that are due. */
export interface SweepFindings {
  hasExpiredLeases: boolean;
  hasExpiredRuns: boolean;
  hasOverdueCancels: boolean;
  unanswered: boolean;
  /** Idle control sessions, or runs that wait for one that has ended. */
  hasIdleControl: boolean;
  hasDisconnectedWorkers: boolean;
  backlog: boolean;
  hasStaleAdmissions: boolean;
}

/**
 * Writes the heartbeat of the sweeper, and finds the tasks that are due, in one statement: an idle installation runs nothing else.
 * @returns `pausedMs`: milliseconds since the previous heartbeat; null for the first
 */
export async function heartbeatAndScan(
  client: PoolClient,
  times: SweepThresholds,
): Promise<SweepFindings & { pausedMs: number | null }> {
  const { acceptMs, graceMs, silentMs, jobGraceMs } = times;
  const { rows } = await client.query<SweepFindings & { pausedMs: number | null }>({
    name: 'heartbeat',
    text: `WITH before AS (SELECT seen_at FROM heartbeat WHERE name = 'sweeper')
     INSERT INTO heartbeat (name, seen_at) VALUES ('sweeper', clock_timestamp())
     ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
     RETURNING (SELECT extract(epoch FROM clock_timestamp() - seen_at) * 1000 FROM before)::float8 AS "pausedMs",
       EXISTS (SELECT ${leased} WHERE ${hasEnded('$1')}) AS "hasExpiredLeases",
       EXISTS (SELECT FROM run WHERE ${hasExpired}) AS "hasExpiredRuns",
       EXISTS (SELECT ${fromOverdue('$2')}) AS "hasOverdueCancels",
       EXISTS (SELECT FROM run WHERE ${isUnanswered}) AS unanswered,
       EXISTS (SELECT FROM control_session WHERE expires_at <= now()) OR EXISTS (SELECT FROM run r WHERE ${WAITS_FOR_CONTROL_SQL}) AS "hasIdleControl",
       EXISTS (SELECT FROM worker WHERE ${isDisconnected('$3')}) AS "hasDisconnectedWorkers",
       EXISTS (SELECT FROM run WHERE status = 'queued' AND admitted_at IS NULL) AS backlog,
       EXISTS (SELECT FROM run WHERE status = 'queued' AND admitted_at < ${ago('$4')}) AS "hasStaleAdmissions"`,
    values: [acceptMs, graceMs, silentMs, jobGraceMs],
  });
  const [row] = rows;
  if (!row) throw new Error('The heartbeat was not written');
  return row;
}

/** An attempt whose lease expired, with its run. */
export interface ExpiredLease extends Attempt {
  /** Attempts that lost their worker or its surface before. */
  lostAttempts: number;
  /** Claims in a row that no worker accepted before. */
  rejectedClaims: number;
  worker: string | null;
  cancelledBy: string | null;
  /** A worker has accepted the claim. */
  accepted: boolean;
  /** The run waits for an answer: it loses its slot, and keeps waiting. */
  isWaiting: boolean;
}

/** Attempts whose lease expired, or whose claim was not accepted within `acceptMs`. */
export async function findExpiredLeases(pool: Pool, acceptMs: number): Promise<ExpiredLease[]> {
  const { rows } = await pool.query<ExpiredLease>(
    `SELECT r.id AS run, r.epoch, r.lost_attempts AS "lostAttempts", r.rejected_claims AS "rejectedClaims", r.worker_name AS worker,
            CASE WHEN r.cancel_requested_at IS NOT NULL THEN coalesce(r.cancelled_by, 'unknown') END AS "cancelledBy",
            l.accepted_at IS NOT NULL AS accepted, r.status = 'awaiting_user' AS "isWaiting"
     ${leased} WHERE ${hasEnded('$1')} ORDER BY l.expires_at LIMIT 500`,
    [acceptMs],
  );
  return rows;
}

/** Runs that have waited too long for their first worker. */
export async function findExpiredRuns(pool: Pool): Promise<{ run: string; waitedSeconds: number }[]> {
  const { rows } = await pool.query<{ run: string; waitedSeconds: number }>(
    `SELECT id AS run, extract(epoch FROM now() - created_at)::float8 AS "waitedSeconds"
     FROM run WHERE ${hasExpired} LIMIT 500`,
  );
  return rows;
}

/** Attempts whose cancellation was requested more than `graceMs` ago. */
export async function findOverdueCancels(pool: Pool, graceMs: number): Promise<(Attempt & { by: string })[]> {
  const { rows } = await pool.query<Attempt & { by: string }>(
    `SELECT r.id AS run, r.epoch, coalesce(r.cancelled_by, 'unknown') AS by ${fromOverdue('$1')} LIMIT 500`,
    [graceMs],
  );
  return rows;
}

/** A question that was not answered in time. */
export interface TimedOutQuestion extends Attempt {
  waitedSeconds: number;
  question: RunQuestion;
  definition: WorkflowDefinition;
}

/** Runs whose question was not answered in time. */
export async function findTimedOutQuestions(pool: Pool): Promise<TimedOutQuestion[]> {
  const { rows } = await pool.query<TimedOutQuestion>(
    `SELECT id AS run, epoch, extract(epoch FROM now() - question_asked_at)::float8 AS "waitedSeconds", question, definition
     FROM run WHERE ${isUnanswered} LIMIT 500`,
  );
  return rows;
}

/** Marks workers as disconnected that were not seen for `silentMs`. @returns their names */
export async function markWorkersDisconnected(pool: Pool, silentMs: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `UPDATE worker SET state = 'disconnected' WHERE ${isDisconnected('$1')} RETURNING name`,
    [silentMs],
  );
  return rows.map(({ name }) => name);
}

/** Fleets with runs that wait outside the window. */
export async function fleetsWithBacklog(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT f.id FROM fleet f WHERE f.paused_at IS NULL
     AND EXISTS (SELECT 1 FROM run r WHERE r.fleet_id = f.id AND r.status = 'queued' AND r.admitted_at IS NULL)`,
  );
  return rows.map(({ id }) => id);
}

export async function listFleetNames(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM fleet ORDER BY name');
  return rows.map(({ name }) => name);
}
