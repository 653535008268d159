import type { Pool } from '../pool.ts';

/** A run that is to get a job `<run>-<dispatch>` in its fleet's queue. */
export interface Hint {
  run: string;
  fleet: string;
  dispatch: number;
  priority: number;
}

/*
 * Fair order: each project's next run is placed by how many of its runs are already admitted or at work, so a project with
 * ten thousand runs does not stand before one with two. Within a project higher priority goes first, then the older run.
 * What is admitted or at work is counted from the windows and the leases, which are small: the backlog may be a hundred thousand.
 * Rows are found by arrays of ids: of a LIMIT that is computed the planner takes a tenth of the table, and would join with all of it.
 * $1: fleet, $2: window, $3: most to admit now.
 */
const ADMIT = `
WITH room AS (
  SELECT least($3, CASE WHEN f.paused_at IS NOT NULL THEN 0 ELSE
    $2 - (SELECT count(*) FROM run w WHERE w.fleet_id = f.id AND w.status = 'queued' AND w.admitted_at IS NOT NULL) END)::int AS places
  FROM fleet f WHERE f.id = $1
),
busy AS (
  SELECT project_id, count(*)::int AS runs FROM (
    SELECT w.project_id FROM fleet f JOIN run w ON w.fleet_id = f.id AND w.status = 'queued' AND w.admitted_at IS NOT NULL
    UNION ALL
    SELECT r.project_id FROM lease l JOIN run r ON r.id = l.run_id WHERE r.status = 'running'
  ) b GROUP BY project_id
),
candidate AS (
  SELECT c.id, c.priority, c.created_at, u.inflight + c.place AS turn, c.place, u.allowed
  FROM project p
  LEFT JOIN busy ON busy.project_id = p.id
  CROSS JOIN LATERAL (
    SELECT coalesce(busy.runs, 0) AS inflight, coalesce(p.max_running - coalesce(busy.runs, 0), 2147483647) AS allowed
  ) u
  CROSS JOIN LATERAL (
    SELECT r.id, r.priority, r.created_at, row_number() OVER (ORDER BY r.priority DESC, r.created_at)::int AS place
    FROM (
      SELECT id, priority, created_at FROM run
      WHERE fleet_id = $1 AND status = 'queued' AND project_id = p.id AND admitted_at IS NULL
      ORDER BY priority DESC, created_at LIMIT (SELECT greatest(0, places) FROM room)
    ) r
  ) c
  WHERE c.place <= u.allowed
),
chosen AS MATERIALIZED (
  SELECT id, turn, priority, created_at FROM candidate ORDER BY turn, priority DESC, created_at LIMIT (SELECT greatest(0, places) FROM room)
),
locked AS (
  SELECT r.id FROM run r WHERE r.id = ANY (ARRAY(SELECT id FROM chosen))
  AND r.status = 'queued' AND r.admitted_at IS NULL ORDER BY r.id FOR UPDATE OF r SKIP LOCKED
),
admitted AS (
  UPDATE run r SET admitted_at = now(), dispatch = r.dispatch + 1 WHERE r.id = ANY (ARRAY(SELECT id FROM locked))
  RETURNING r.id AS run, r.fleet_id AS fleet, r.dispatch, r.priority
)
SELECT a.* FROM admitted a JOIN chosen c ON c.id = a.run ORDER BY c.turn, c.priority DESC, c.created_at
`;

/** Admits the next runs of a fleet's backlog, as far as its window has room. @returns them in their fair order */
export async function admit(pool: Pool, fleet: string, window: number, most = window): Promise<Hint[]> {
  const { rows } = await pool.query<Hint>({ name: 'admit', text: ADMIT, values: [fleet, window, most] });
  return rows;
}

/** Admitted runs that were given their hint longer than `olderThanMs` ago and still wait: their job may be gone. */
export async function admittedSince(pool: Pool, olderThanMs: number): Promise<Hint[]> {
  const { rows } = await pool.query<Hint>({
    name: 'admitted-since',
    text: `SELECT id AS run, fleet_id AS fleet, dispatch, priority FROM run
           WHERE status = 'queued' AND admitted_at < now() - $1 * interval '1 millisecond'
             AND fleet_id IN (SELECT id FROM fleet) ORDER BY id LIMIT 2000`,
    values: [olderThanMs],
  });
  return rows;
}

/** Gives an admitted run its next hint; null when it is no longer where the old hint said. */
export async function rehint(pool: Pool, { run, dispatch }: Hint): Promise<Hint | null> {
  const { rows } = await pool.query<Hint>({
    name: 'rehint',
    text: `UPDATE run SET dispatch = dispatch + 1, admitted_at = now()
           WHERE id = $1 AND dispatch = $2 AND status = 'queued' AND admitted_at IS NOT NULL
           RETURNING id AS run, fleet_id AS fleet, dispatch, priority`,
    values: [run, dispatch],
  });
  return rows[0] ?? null;
}
