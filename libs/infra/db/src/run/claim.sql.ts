import { claimedRunJson } from './claimed.sql.ts';
import { NEXT_IN_FAIR_ORDER } from './fair-order.sql.ts';

/**
 * Claims the next runs of a backlog in fair order, one for each seat: what an admission and a claim by `WRITE_RUNS` would do in two commits and
 * two versions of each row. The epoch goes up, a lease begins, the claim and the opening intent are logged.
 *
 * $1: fleet; $2: of each seat, in the order in which they are filled, the number of its worker; $3: the workers (JSON array, see writer.ts); $4: their
 * sessions. A session that was marked as draining or is cordoned claims nothing; its worker is locked until the commit (see `WRITE_RUNS`).
 */
export const CLAIM_NEXT = `
WITH taker AS MATERIALIZED (
  SELECT session, (drain_requested_at IS NOT NULL OR cordoned_at IS NOT NULL) AS refuses FROM worker WHERE session = ANY ($4::uuid[]) ORDER BY id FOR KEY SHARE
),
seat AS MATERIALIZED (
  SELECT s.seat::int - 1 AS seat, w.*, row_number() OVER (ORDER BY s.seat)::int AS place
  FROM unnest($2::int[]) WITH ORDINALITY AS s(number, seat)
  JOIN json_to_recordset($3::json) AS w(
    number int, session uuid, worker text, "leaseMs" int, type text, v int, level text, message text, data json, at timestamptz
  ) ON w.number = s.number
  WHERE w.session NOT IN (SELECT session FROM taker WHERE refuses)
),
room AS (
  SELECT CASE WHEN f.paused_at IS NOT NULL THEN 0 ELSE (SELECT count(*) FROM seat) END::int AS places FROM fleet f WHERE f.id = $1
),
${NEXT_IN_FAIR_ORDER},
claimed AS MATERIALIZED (
  SELECT l.*, s.* FROM (
    SELECT k.id, k.epoch + 1 AS next_epoch, k.event_seq AS old_seq, k.opening,
      row_number() OVER (ORDER BY c.turn, c.priority DESC, c.created_at)::int AS turn
    FROM locked k JOIN chosen c ON c.id = k.id
  ) l JOIN seat s ON s.place = l.turn
),
logged AS (
  INSERT INTO run_event (run_id, seq, epoch, n, type, version, level, message, data, at)
  SELECT id, old_seq + 1, next_epoch, NULL, type, v, level, message, data, at FROM claimed
  UNION ALL
  SELECT id, old_seq + 2, next_epoch, 1, 'step.acting', (opening->>'v')::int, 'info', opening->>'message', opening->'data', at
  FROM claimed WHERE opening IS NOT NULL
),
checkpoint AS (
  INSERT INTO run_step (run_id, step, epoch, status, telling, started_at)
  SELECT id, 0, next_epoch, 'acting', false, at FROM claimed WHERE opening IS NOT NULL
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
  event_seq = c.old_seq + 1 + (c.opening IS NOT NULL)::int,
  event_n = (c.opening IS NOT NULL)::int,
  opening = NULL,
  started_at = coalesce(r.started_at, now()),
  attempt_started_at = now(),
  worker_name = c.worker,
  used_steps = r.used_steps + (c.opening IS NOT NULL)::int,
  current_step = CASE WHEN c.opening IS NOT NULL THEN 0 ELSE r.current_step END,
  question = NULL, asked_at = NULL, ask_until = NULL
FROM claimed c
WHERE r.id = c.id
RETURNING c.seat, r.id AS run, r.status, r.epoch, 'queued' AS "oldStatus", c.old_seq AS "oldSeq", r.event_seq AS "eventSeq",
  r.event_n AS "eventN", r.project_id AS project, r.fleet_id AS fleet, r.lost, r.refused, NULL AS "ranMs", ${claimedRunJson('c.opening')} AS claimed
`;
