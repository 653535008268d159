/**
 * The next runs of the backlog of fleet $1, as many as `room` has places, locked: common table expressions that follow one named `room(places)`.
 *
 * Fair order: each project's next run is placed by how many of its runs are already admitted or at work, so a project with
 * ten thousand runs does not stand before one with two. Within a project higher priority goes first, then the older run.
 * What is admitted or at work is counted fleet by fleet, from the part of an index that is small: the backlog may be a hundred thousand.
 * A run whose claims nobody accepts waits longer each time, 0, 1, 4, 9 seconds: whatever the reason is, it does not go round for ever at once.
 *
 * What is counted is as old as the statement. So where a project has a limit, a statement takes of it only if nobody else has since (`claims`
 * is as it was) and nobody is at it; who is late takes none, and the next statement counts anew.
 * Rows are found by arrays of ids: of a LIMIT that is computed the planner takes a tenth of the table, and would join with all of it.
 */
export const NEXT_IN_FAIR_ORDER = `
busy AS (
  SELECT project_id, count(*)::int AS runs FROM (
    SELECT w.project_id FROM run w WHERE w.fleet_id = ANY (ARRAY(SELECT id FROM fleet)) AND w.status = 'queued' AND w.admitted_at IS NOT NULL
    UNION ALL
    SELECT r.project_id FROM run r WHERE r.fleet_id = ANY (ARRAY(SELECT id FROM fleet)) AND r.status = 'running'
  ) b GROUP BY project_id
),
candidate AS (
  SELECT c.id, c.priority, c.created_at, u.inflight + c.place AS turn, p.id AS project, CASE WHEN p.max_running IS NOT NULL THEN p.claims END AS claims
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
        AND (refused < 2 OR queued_at < now() - (refused - 1) * (refused - 1) * interval '1 second')
      ORDER BY priority DESC, created_at LIMIT (SELECT greatest(0, places) FROM room)
    ) r
  ) c
  WHERE c.place <= u.allowed
),
unchanged AS MATERIALIZED (
  SELECT p.id FROM project p JOIN (SELECT DISTINCT project, claims FROM candidate WHERE claims IS NOT NULL) l ON l.project = p.id
  WHERE p.claims = l.claims ORDER BY p.id FOR NO KEY UPDATE OF p SKIP LOCKED
),
chosen AS MATERIALIZED (
  SELECT id, turn, priority, created_at, project, claims FROM candidate
  WHERE claims IS NULL OR project IN (SELECT id FROM unchanged) ORDER BY turn, priority DESC, created_at LIMIT (SELECT greatest(0, places) FROM room)
),
locked AS MATERIALIZED (
  SELECT r.id, r.epoch, r.event_seq, r.opening FROM run r WHERE r.id = ANY (ARRAY(SELECT id FROM chosen))
  AND r.status = 'queued' AND r.admitted_at IS NULL ORDER BY r.id FOR UPDATE OF r SKIP LOCKED
),
counted AS (
  UPDATE project SET claims = project.claims + 1 WHERE id IN (SELECT project FROM chosen WHERE claims IS NOT NULL)
)`;
