import type { Pool } from '../client/pg-pool.ts';
import { NEXT_IN_FAIR_ORDER } from './claim.sql.ts';

/** A run that needs a job `<run>-<dispatch>` in the queue of its fleet. */
export interface DispatchJob {
  run: string;
  fleet: string;
  dispatch: number;
  priority: number;
}

/** $1: fleet, $2: window. */
const ADMIT = `
WITH capacity AS (
  SELECT CASE WHEN f.paused_at IS NOT NULL THEN 0 ELSE
    $2 - (SELECT count(*) FROM run w WHERE w.fleet_id = f.id AND w.status = 'queued' AND w.admitted_at IS NOT NULL) END::int AS places
  FROM fleet f WHERE f.id = $1
),
${NEXT_IN_FAIR_ORDER},
admitted AS (
  UPDATE run r SET admitted_at = now(), dispatch_number = r.dispatch_number + 1 WHERE r.id = ANY (ARRAY(SELECT id FROM locked))
  RETURNING r.id AS run, r.fleet_id AS fleet, r.dispatch_number AS dispatch, r.priority
)
SELECT a.* FROM admitted a JOIN chosen c ON c.id = a.run ORDER BY c.turn, c.priority DESC, c.created_at
`;

/** Admits the next runs of a fleet's backlog, as far as its window has places. @returns them in fair order */
export async function admitRuns(pool: Pool, fleet: string, window: number): Promise<DispatchJob[]> {
  const { rows } = await pool.query<DispatchJob>({ name: 'admit', text: ADMIT, values: [fleet, window] });
  return rows;
}

/** Admitted runs that were enqueued more than `olderThanMs` ago and still wait: their job may be lost. */
export async function findStaleAdmissions(pool: Pool, olderThanMs: number): Promise<DispatchJob[]> {
  const { rows } = await pool.query<DispatchJob>({
    name: 'admitted-since',
    text: `SELECT id AS run, fleet_id AS fleet, dispatch_number AS dispatch, priority FROM run
           WHERE status = 'queued' AND admitted_at < now() - $1 * interval '1 millisecond'
             AND fleet_id IN (SELECT id FROM fleet) ORDER BY id LIMIT 2000`,
    values: [olderThanMs],
  });
  return rows;
}

/** Returns the next job of an admitted run; null when the given job is outdated. */
export async function nextDispatch(pool: Pool, { run, dispatch }: DispatchJob): Promise<DispatchJob | null> {
  const { rows } = await pool.query<DispatchJob>({
    name: 'requeue_job',
    text: `UPDATE run SET dispatch_number = dispatch_number + 1, admitted_at = now()
           WHERE id = $1 AND dispatch_number = $2 AND status = 'queued' AND admitted_at IS NOT NULL
           RETURNING id AS run, fleet_id AS fleet, dispatch_number AS dispatch, priority`,
    values: [run, dispatch],
  });
  return rows[0] ?? null;
}
