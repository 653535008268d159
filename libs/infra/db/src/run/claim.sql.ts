/**
 * Data of a claimed run for its worker, from row `r` after the claim.
 * @param firstIntent expression: the intent that the claim created; null without one
 */
export const claimedRunJson = (firstIntent: string) => `json_build_object(
    'definition', r.definition, 'inputs', r.inputs, 'secrets', r.secret_names, 'budget', r.budget, 'capture', r.capture,
    'egress', r.egress,
    'project', (SELECT json_build_object('egress', p.egress_allow, 'politeness', p.politeness, 'learning', p.learning, 'agentNotes', p.agents->'notes', 'computerTool', p.models->'act'->>'computerTool') FROM project p WHERE p.id = r.project_id),
    'answer', r.answer, 'firstIntent', ${firstIntent}, 'usedSteps', r.used_steps - (${firstIntent} IS NOT NULL)::int, 'usedSeconds', r.used_seconds,
    'waitedMs', greatest(0, (extract(epoch FROM now() - r.queued_at) * 1000)::int))`;

/**
 * Locks the next runs of the backlog of fleet $1, as many as `capacity` has places. Common table expressions after one
 * named `capacity(places)`.
 *
 * Fair order: the position of a project's next run depends on its number of admitted and active runs. A project with
 * ten thousand runs does not block one with two. Within a project, higher priority goes first, then the older run.
 * Admitted and active runs are counted by fleet, from a small part of an index: the backlog may have a hundred thousand
 * runs. Repeatedly rejected claims delay a run by 0, 1, 4, 9 seconds, so that it does not loop without a pause.
 *
 * Counts are as old as the statement. For a project with a limit, a statement claims only if `claim_version` is
 * unchanged and no other claim is active. Otherwise it claims none, and the next statement counts again. Rows are
 * selected by arrays of ids. For a computed LIMIT, the planner assumes a tenth of the table and would join all of it.
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
  SELECT c.id, c.priority, c.created_at, u.inflight + c.place AS turn, p.id AS project, CASE WHEN p.max_concurrent_runs IS NOT NULL THEN p.claim_version END AS claim_version
  FROM project p
  LEFT JOIN busy ON busy.project_id = p.id
  CROSS JOIN LATERAL (
    SELECT coalesce(busy.runs, 0) AS inflight, coalesce(p.max_concurrent_runs - coalesce(busy.runs, 0), 2147483647) AS allowed
  ) u
  CROSS JOIN LATERAL (
    SELECT r.id, r.priority, r.created_at, row_number() OVER (ORDER BY r.priority DESC, r.created_at)::int AS place
    FROM (
      SELECT id, priority, created_at FROM run
      WHERE fleet_id = $1 AND status = 'queued' AND project_id = p.id AND admitted_at IS NULL
        AND (rejected_claims < 2 OR queued_at < now() - (rejected_claims - 1) * (rejected_claims - 1) * interval '1 second')
      ORDER BY priority DESC, created_at LIMIT (SELECT greatest(0, places) FROM capacity)
    ) r
  ) c
  WHERE c.place <= u.allowed
),
unchanged AS MATERIALIZED (
  SELECT p.id FROM project p JOIN (SELECT DISTINCT project, claim_version FROM candidate WHERE claim_version IS NOT NULL) l ON l.project = p.id
  WHERE p.claim_version = l.claim_version ORDER BY p.id FOR NO KEY UPDATE OF p SKIP LOCKED
),
chosen AS MATERIALIZED (
  SELECT id, turn, priority, created_at, project, claim_version FROM candidate
  WHERE claim_version IS NULL OR project IN (SELECT id FROM unchanged) ORDER BY turn, priority DESC, created_at LIMIT (SELECT greatest(0, places) FROM capacity)
),
locked AS MATERIALIZED (
  SELECT r.id, r.epoch, r.event_seq, r.first_intent FROM run r WHERE r.id = ANY (ARRAY(SELECT id FROM chosen))
  AND r.status = 'queued' AND r.admitted_at IS NULL ORDER BY r.id FOR UPDATE OF r SKIP LOCKED
),
counted AS (
  UPDATE project SET claim_version = project.claim_version + 1 WHERE id IN (SELECT project FROM chosen WHERE claim_version IS NOT NULL)
)`;

/**
 * Claims the next runs of a backlog in fair order, one for each slot. An admission and a claim by `WRITE_RUNS` would
 * need two commits and two versions of each row. Increments the epoch, starts a lease, and records the claim and the
 * opening intent.
 *
 * Parameters: $1 is the fleet. $2 has for each slot, in the order of filling, the number of its worker. $3 has the
 * workers (JSON array, see run-writer.ts), $4 their sessions. A draining or cordoned session claims nothing; its worker
 * is locked until the commit (see `WRITE_RUNS`).
 */
export const CLAIM_NEXT = `
WITH claiming_worker AS MATERIALIZED (
  SELECT session, (drain_requested_at IS NOT NULL OR cordoned_at IS NOT NULL) AS refuses FROM worker WHERE session = ANY ($4::uuid[]) ORDER BY id FOR KEY SHARE
),
slot AS MATERIALIZED (
  SELECT s.slot::int - 1 AS slot, w.*, row_number() OVER (ORDER BY s.slot)::int AS position
  FROM unnest($2::int[]) WITH ORDINALITY AS s(number, slot)
  JOIN json_to_recordset($3::json) AS w(
    number int, session uuid, worker text, "leaseMs" int, type text, v int, level text, message text, data json, at timestamptz
  ) ON w.number = s.number
  WHERE w.session NOT IN (SELECT session FROM claiming_worker WHERE refuses)
),
capacity AS (
  SELECT CASE WHEN f.paused_at IS NOT NULL THEN 0 ELSE (SELECT count(*) FROM slot) END::int AS places FROM fleet f WHERE f.id = $1
),
${NEXT_IN_FAIR_ORDER},
claimed AS MATERIALIZED (
  SELECT l.*, s.* FROM (
    SELECT k.id, k.epoch + 1 AS next_epoch, k.event_seq AS old_seq, k.first_intent,
      row_number() OVER (ORDER BY c.turn, c.priority DESC, c.created_at)::int AS turn
    FROM locked k JOIN chosen c ON c.id = k.id
  ) l JOIN slot s ON s.position = l.turn
),
logged AS (
  INSERT INTO run_event (run_id, seq, epoch, attempt_seq, type, version, level, message, data, occurred_at)
  SELECT id, old_seq + 1, next_epoch, NULL, type, v, level, message, data, at FROM claimed
  UNION ALL
  SELECT id, old_seq + 2, next_epoch, 1, 'step.started', (first_intent->>'v')::int, 'info', first_intent->>'message', first_intent->'data', at
  FROM claimed WHERE first_intent IS NOT NULL
),
checkpoint AS (
  INSERT INTO run_step (run_id, step, path, epoch, status, postcondition_was_false, started_at)
  SELECT id, 0, first_intent->'data'->>'path', next_epoch, 'running', false, at FROM claimed WHERE first_intent IS NOT NULL
),
leased AS (
  INSERT INTO lease (run_id, epoch, session, claimed_at, expires_at)
  SELECT id, next_epoch, session, now(), now() + "leaseMs" * interval '1 millisecond' FROM claimed
  ON CONFLICT (run_id) DO UPDATE SET
    epoch = excluded.epoch, session = excluded.session, accepted_at = NULL,
    claimed_at = excluded.claimed_at, expires_at = excluded.expires_at
)
UPDATE run r SET
  status = 'running',
  epoch = c.next_epoch,
  event_seq = c.old_seq + 1 + (c.first_intent IS NOT NULL)::int,
  attempt_event_seq = (c.first_intent IS NOT NULL)::int,
  first_intent = NULL,
  started_at = coalesce(r.started_at, now()),
  attempt_started_at = now(),
  worker_name = c.worker,
  used_steps = r.used_steps + (c.first_intent IS NOT NULL)::int,
  current_step = CASE WHEN c.first_intent IS NOT NULL THEN 0 ELSE r.current_step END,
  question = NULL, question_asked_at = NULL, question_expires_at = NULL
FROM claimed c
WHERE r.id = c.id
RETURNING c.slot, r.id AS run, r.status, r.epoch, 'queued' AS "oldStatus", c.old_seq AS "oldSeq", r.event_seq AS "eventSeq",
  r.attempt_event_seq AS "attemptEventSeq", r.project_id AS project, r.fleet_id AS fleet, r.lost_attempts AS "lostAttempts", r.rejected_claims AS "rejectedClaims", NULL AS "ranMs", ${claimedRunJson('c.first_intent')} AS claimed
`;
