import type { Attempt, RunQuestion } from '@pilothouse/contract';
import type { Pool, PoolClient } from '../client/pg-pool.ts';
import { WAITS_FOR_CONTROL_SQL } from '../run/control-session.store.ts';

const ago = (milliseconds: string) => `now() - ${milliseconds} * interval '1 millisecond'`;

/** Rows of lease `l` and run `r` whose lease ended, or whose claim nobody accepted in time. */
const hasEnded = (acceptMs: string) =>
  `r.status IN ('running', 'awaiting_user') AND (l.expires_at < now() OR (l.accepted_at IS NULL AND l.claimed_at < ${ago(acceptMs)}))`;
/** One that a worker was given has come through the queue in time: where it is given back, it goes on. */
const hasExpired = `status = 'queued' AND epoch = 0 AND queue_expires_at < now()`;
const isUnanswered = `status = 'awaiting_user' AND question_expires_at < now()`;
const isGone = (silentMs: string) => `state <> 'gone' AND last_seen_at < ${ago(silentMs)}`;
const leased = 'FROM lease l JOIN run r ON r.id = l.run_id';
/** Runs that were asked to stop. One that waits for a person may have no lease any more. */
const fromOverdue = (graceMs: string) =>
  `FROM (SELECT r.* ${leased} WHERE r.status = 'running' AND r.cancel_requested_at < ${ago(graceMs)}
     UNION ALL SELECT * FROM run WHERE status = 'awaiting_user' AND cancel_requested_at < ${ago(graceMs)}) r`;

/** Milliseconds after which something is for the sweeper. */
export interface SweepThresholds {
  /** A claim that no worker accepted. */
  acceptMs: number;
  /** A worker that was asked to stop. */
  graceMs: number;
  /** A worker that was not heard of. */
  silentMs: number;
  /** A hint that no claim followed. */
  hintMs: number;
}

/** Kinds of work that there are for the sweeper now. */
export interface SweepFindings {
  ended: boolean;
  expired: boolean;
  overdue: boolean;
  unanswered: boolean;
  /** Wheels that nobody touched, or that a run waits for though nobody has them. */
  wheels: boolean;
  gone: boolean;
  backlog: boolean;
  hinted: boolean;
}

/**
 * Says that the sweeper is at work, and looks for what there is to do: one statement, because a house at rest does nothing else.
 * @returns `awayMs`: since any sweeper last said so; null when none ever did
 */
export async function heartbeatAndScan(
  client: PoolClient,
  times: SweepThresholds,
): Promise<SweepFindings & { awayMs: number | null }> {
  const { acceptMs, graceMs, silentMs, hintMs } = times;
  const { rows } = await client.query<SweepFindings & { awayMs: number | null }>({
    name: 'beat',
    text: `WITH before AS (SELECT seen_at FROM heartbeat WHERE name = 'sweeper')
     INSERT INTO heartbeat (name, seen_at) VALUES ('sweeper', clock_timestamp())
     ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
     RETURNING (SELECT extract(epoch FROM clock_timestamp() - seen_at) * 1000 FROM before)::float8 AS "awayMs",
       EXISTS (SELECT ${leased} WHERE ${hasEnded('$1')}) AS ended,
       EXISTS (SELECT FROM run WHERE ${hasExpired}) AS expired,
       EXISTS (SELECT ${fromOverdue('$2')}) AS overdue,
       EXISTS (SELECT FROM run WHERE ${isUnanswered}) AS unanswered,
       EXISTS (SELECT FROM control_session WHERE expires_at <= now()) OR EXISTS (SELECT FROM run r WHERE ${WAITS_FOR_CONTROL_SQL}) AS wheels,
       EXISTS (SELECT FROM worker WHERE ${isGone('$3')}) AS gone,
       EXISTS (SELECT FROM run WHERE status = 'queued' AND admitted_at IS NULL) AS backlog,
       EXISTS (SELECT FROM run WHERE status = 'queued' AND admitted_at < ${ago('$4')}) AS hinted`,
    values: [acceptMs, graceMs, silentMs, hintMs],
  });
  const [row] = rows;
  if (!row) throw new Error('The heartbeat was not written');
  return row;
}

/** An attempt whose lease ended, and what is known of its run. */
export interface ExpiredLease extends Attempt {
  /** Attempts that lost their worker or its surface before. */
  lostAttempts: number;
  /** Claims in a row that no worker accepted before. */
  rejectedClaims: number;
  worker: string | null;
  cancelledBy: string | null;
  /** Whether a worker ever accepted the claim. */
  accepted: boolean;
  /** The run waits for a person: it loses its slot, and goes on waiting. */
  waits: boolean;
}

/** Attempts whose lease ended, or whose claim nobody accepted within `acceptMs`. */
export async function findExpiredLeases(pool: Pool, acceptMs: number): Promise<ExpiredLease[]> {
  const { rows } = await pool.query<ExpiredLease>(
    `SELECT r.id AS run, r.epoch, r.lost_attempts AS "lostAttempts", r.rejected_claims AS "rejectedClaims", r.worker_name AS worker,
            CASE WHEN r.cancel_requested_at IS NOT NULL THEN coalesce(r.cancelled_by, 'unknown') END AS "cancelledBy",
            l.accepted_at IS NOT NULL AS accepted, r.status = 'awaiting_user' AS waits
     ${leased} WHERE ${hasEnded('$1')} ORDER BY l.expires_at LIMIT 500`,
    [acceptMs],
  );
  return rows;
}

/** Runs that wait for their first worker longer than they may. */
export async function findExpiredRuns(pool: Pool): Promise<{ run: string; waitedSeconds: number }[]> {
  const { rows } = await pool.query<{ run: string; waitedSeconds: number }>(
    `SELECT id AS run, extract(epoch FROM now() - created_at)::float8 AS "waitedSeconds"
     FROM run WHERE ${hasExpired} LIMIT 500`,
  );
  return rows;
}

/** Attempts that were asked to stop longer than `graceMs` ago and did not. */
export async function findOverdueCancels(pool: Pool, graceMs: number): Promise<(Attempt & { by: string })[]> {
  const { rows } = await pool.query<Attempt & { by: string }>(
    `SELECT r.id AS run, r.epoch, coalesce(r.cancelled_by, 'unknown') AS by ${fromOverdue('$1')} LIMIT 500`,
    [graceMs],
  );
  return rows;
}

/** A question that nobody answered in time. */
export interface TimedOutQuestion extends Attempt {
  waitedSeconds: number;
  question: RunQuestion;
}

/** Runs whose question nobody answered in time. */
export async function findTimedOutQuestions(pool: Pool): Promise<TimedOutQuestion[]> {
  const { rows } = await pool.query<TimedOutQuestion>(
    `SELECT id AS run, epoch, extract(epoch FROM now() - question_asked_at)::float8 AS "waitedSeconds", question
     FROM run WHERE ${isUnanswered} LIMIT 500`,
  );
  return rows;
}

/** Marks workers gone that were not seen for `silentMs`. @returns their names */
export async function markWorkersGone(pool: Pool, silentMs: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `UPDATE worker SET state = 'gone' WHERE ${isGone('$1')} RETURNING name`,
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

/** Names of all fleets. */
export async function listFleetNames(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM fleet ORDER BY name');
  return rows.map(({ name }) => name);
}
