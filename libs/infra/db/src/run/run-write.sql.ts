import { claimedRunJson } from './claim.sql.ts';
import { INSERT_REACTIONS } from './run-reaction.sql.ts';
import {
  checkpointSql,
  claimingSessionSql,
  eventSql,
  itemSql,
  rareFieldsSql,
  safePointSql,
  storedFileSql,
} from './run-write-columns.ts';

/**
 * The only statement that changes runs: fenced status changes, events, checkpoints and leases of many runs in one commit.
 * An item that is missing from the answer changed nothing. "The statement that changes runs" in the README of this
 * package explains the order of locks, the numbering of events and each derived value.
 * @param head common table expressions before the items
 * @param only filter of the items
 * @param beside common table expressions after `locked_change`
 * @param set assignments of the run beside those of all writes
 */
const runWriteSql = (head = '', only = '', beside = '', set = '') => `
WITH ${head}item AS (
  SELECT * FROM unnest(${itemSql.parameters}
  ) AS i(${itemSql.names})
  LEFT JOIN json_to_recordset(${rareFieldsSql.parameter}) AS x(
    ${rareFieldsSql.columns}
  ) ON x.of = i.run${only}
),
claiming_worker AS MATERIALIZED (
  SELECT session, (drain_requested_at IS NOT NULL OR cordoned_at IS NOT NULL) AS refuses FROM worker WHERE session = ANY (${claimingSessionSql.parameters}) ORDER BY id FOR KEY SHARE
),
locked_change AS MATERIALIZED (
  SELECT i.*, r.status AS old_status, r.epoch AS old_epoch, r.event_seq AS old_seq, l.accepted_at AS old_accepted,
         (i."to" = 'running' AND r.status = 'queued') AS claims,
         CASE WHEN i."to" = 'running' AND r.status = 'queued' THEN r.first_intent END AS first_intent,
         (r.has_healed_step OR i."healsStep" IS TRUE) AS "hasHealedStep", r.used_calls + coalesce(i."usedCalls", 0) AS calls,
         r.turns_recorded AS "hasStoredTurn", r.workflow_id AS workflow
  FROM item i
  JOIN run r ON r.id = i.run
  LEFT JOIN lease l ON l.run_id = r.id
  WHERE r.status = ANY (string_to_array(i.states, ','))
    AND (i.epoch IS NULL OR r.epoch = i.epoch)
    AND (i."firstN" IS NULL OR i."firstN" = r.attempt_event_seq + 1)
    AND (i.session IS NULL OR l.session = i.session)
    AND (i.dispatch IS NULL OR (r.dispatch_number = i.dispatch AND r.admitted_at IS NOT NULL))
    AND (i."ifLeaseExpired" IS NOT TRUE OR l.run_id IS NULL OR l.expires_at < now())
    AND (i."ifUnaccepted" IS NOT TRUE OR l.accepted_at IS NULL)
    AND (i."ifUnacceptedMs" IS NULL OR l.run_id IS NULL OR (l.accepted_at IS NULL
      AND (l.expires_at < now() OR l.claimed_at < now() - i."ifUnacceptedMs" * interval '1 millisecond')))
    AND (i."ifQuestion" IS NULL OR i."ifQuestion" = r.question)
    AND (i."ifCancelled" IS NULL OR i."ifCancelled" = (r.cancel_requested_at IS NOT NULL))
    AND (i."ifHasSlot" IS NULL OR i."ifHasSlot" = (r.worker_name IS NOT NULL))
    AND (i."newSession" IS NULL OR i."newSession" NOT IN (SELECT session FROM claiming_worker WHERE refuses))
  ORDER BY r.id
  FOR UPDATE OF r
),
fresh AS (
  SELECT e.*, c.old_epoch + CASE WHEN c.claims THEN 1 ELSE 0 END AS epoch,
         c.old_seq + row_number() OVER (PARTITION BY e.run ORDER BY e.ord) AS seq
  FROM unnest(${eventSql.parameters})
    WITH ORDINALITY AS e(${eventSql.names}, ord)
  JOIN locked_change c ON c.run = e.run
),
opened AS (
  SELECT run, old_epoch + 1 AS epoch, old_seq + events + 1 AS seq, first_intent, "claimedAt" AS at FROM locked_change WHERE first_intent IS NOT NULL
),
logged AS (
  INSERT INTO run_event (run_id, seq, epoch, attempt_seq, type, version, level, message, data, occurred_at)
  SELECT run, seq, epoch, n, type, version, level, message, data, at FROM fresh
  UNION ALL
  SELECT run, seq, epoch, 1, 'step.started', (first_intent->>'v')::int, 'info', first_intent->>'message', first_intent->'data', at FROM opened
),
checkpoint AS (
  INSERT INTO run_step (run_id, step, path, epoch, status, tier, value, error, postcondition_was_false, started_at, finished_at, attempts,
    outcome, effect, effect_reason)
  SELECT s.run, s.step, s.path, c.old_epoch, s.status, s.tier, s.value, s.error, coalesce(s.postcondition_was_false, false), s."startedAt", s."finishedAt",
    coalesce((c."stepAttempts"->>s.step::text)::int, 1), s.outcome, s.effect, s."effectReason"
  FROM unnest(${checkpointSql.parameters}
  ) AS s(${checkpointSql.names})
  JOIN locked_change c ON c.run = s.run
  UNION ALL
  SELECT run, 0, first_intent->'data'->>'path', epoch, 'running', NULL, NULL, NULL, false, at, NULL, 1, NULL, NULL, NULL FROM opened
  ON CONFLICT (run_id, step) DO UPDATE SET
    attempts = CASE WHEN run_step.path IS DISTINCT FROM excluded.path THEN excluded.attempts ELSE greatest(run_step.attempts, excluded.attempts) END,
    path = excluded.path, epoch = excluded.epoch, status = excluded.status, tier = excluded.tier, value = excluded.value, error = excluded.error,
    postcondition_was_false = CASE WHEN excluded.status = 'running' THEN excluded.postcondition_was_false
      ELSE run_step.postcondition_was_false OR excluded.postcondition_was_false END,
    started_at = coalesce(excluded.started_at, run_step.started_at), finished_at = excluded.finished_at,
    outcome = excluded.outcome, effect = excluded.effect, effect_reason = excluded.effect_reason
),
saved AS (
  SELECT c.run, c.old_epoch AS epoch, p.step, decode(p.state, 'base64') AS state
  FROM json_to_recordset(${safePointSql.parameter}) AS p(${safePointSql.columns}) JOIN locked_change c ON c.run = p.run
  WHERE c."to" IS NULL OR c."to" NOT IN ('completed', 'failed', 'cancelled')
),
stored_safe_point AS (
  INSERT INTO safe_point (run_id, epoch, step, state) SELECT run, epoch, step, state FROM saved WHERE state IS NOT NULL
  ON CONFLICT (run_id) DO UPDATE SET epoch = excluded.epoch, step = excluded.step, state = excluded.state, created_at = now()
),
advanced_safe_point AS (
  UPDATE safe_point p SET step = s.step FROM saved s WHERE s.state IS NULL AND p.run_id = s.run AND p.epoch = s.epoch
),
deleted_safe_point AS (
  DELETE FROM safe_point p USING locked_change c WHERE p.run_id = c.run AND c."to" IN ('completed', 'failed', 'cancelled')
),
leased AS (
  INSERT INTO lease (run_id, epoch, session, claimed_at, expires_at)
  SELECT run, old_epoch + 1, "newSession", now(), now() + "leaseMs" * interval '1 millisecond' FROM locked_change WHERE claims
  ON CONFLICT (run_id) DO UPDATE SET
    epoch = excluded.epoch, session = excluded.session, accepted_at = NULL,
    claimed_at = excluded.claimed_at, expires_at = excluded.expires_at
),
accepted_lease AS (
  UPDATE lease l SET accepted_at = coalesce(l.accepted_at, now()),
    expires_at = greatest(l.expires_at, now() + coalesce(c."leaseMs", 0) * interval '1 millisecond')
  FROM locked_change c WHERE c.accept AND (c."to" IS NULL OR c."to" = 'awaiting_user') AND l.run_id = c.run
),
released AS (
  DELETE FROM lease l USING locked_change c
  WHERE l.run_id = c.run AND NOT c.claims AND (c.release OR c."to" IN ('queued', 'completed', 'failed', 'cancelled'))
),
required_reaction AS (
  ${INSERT_REACTIONS}
)${beside}
UPDATE run r SET
  status = coalesce(c."to", r.status),
  epoch = c.old_epoch + CASE WHEN c.claims THEN 1 ELSE 0 END,
  event_seq = c.old_seq + c.events + (c.first_intent IS NOT NULL)::int,
  first_intent = CASE WHEN c.claims THEN NULL ELSE r.first_intent END,
  attempt_event_seq = CASE WHEN c.claims THEN (c.first_intent IS NOT NULL)::int ELSE coalesce(c."lastN", r.attempt_event_seq) END,
  accepted_attempts = r.accepted_attempts + CASE WHEN c.accept AND c.old_accepted IS NULL THEN 1 ELSE 0 END,
  lost_attempts = r.lost_attempts + CASE WHEN c."countsAsLost" THEN 1 ELSE 0 END,
  rejected_claims = CASE WHEN c.accept THEN 0 WHEN c."countsAsRejected" THEN r.rejected_claims + 1 ELSE r.rejected_claims END,
  admitted_at = CASE WHEN c."to" IS NULL OR c."to" = 'awaiting_user' THEN r.admitted_at END,
  queued_at = CASE WHEN c."to" = 'queued' THEN now() ELSE r.queued_at END,
  started_at = CASE WHEN c.claims THEN coalesce(r.started_at, now()) ELSE r.started_at END,
  attempt_started_at = CASE WHEN c."to" = 'running' THEN now() ELSE r.attempt_started_at END,
  finished_at = CASE WHEN c."to" IN ('completed', 'failed', 'cancelled') THEN now() ELSE r.finished_at END,
  worker_name = CASE WHEN c.claims THEN c.worker WHEN c."to" = 'queued' OR c.release THEN NULL ELSE r.worker_name END,
  output = coalesce(c.output, r.output),
  error = coalesce(c.error, r.error),
  cancel_requested_at = CASE WHEN c."cancelledBy" IS NOT NULL THEN coalesce(r.cancel_requested_at, now()) ELSE r.cancel_requested_at END,
  cancelled_by = coalesce(r.cancelled_by, c."cancelledBy"),
  used_steps = r.used_steps + coalesce(c."usedSteps", 0) + (c.first_intent IS NOT NULL)::int,
  completed_steps = r.completed_steps + coalesce(c."actedSteps", 0),
  model_steps = r.model_steps + coalesce(c."modelSteps", 0),
  step_retries = r.step_retries + coalesce(c."stepRetries", 0),
  unverified_steps = r.unverified_steps + coalesce(c."unverifiedSteps", 0),
  has_healed_step = c."hasHealedStep",
  used_calls = c.calls,
  used_tokens = r.used_tokens + coalesce(c."usedTokens", 0),
  used_usd = r.used_usd + coalesce(c."usedUsd", 0),
  unpriced_calls = r.unpriced_calls + coalesce(c."unpricedCalls", 0),
  used_seconds = r.used_seconds + CASE
    WHEN c.old_status = 'running' AND c."to" IS NOT NULL THEN greatest(0, extract(epoch FROM now() - r.attempt_started_at)) ELSE 0 END,
  current_step = coalesce(c."currentStep", CASE WHEN c.first_intent IS NOT NULL THEN 0 END, r.current_step),
  question = CASE WHEN c."to" IS NULL THEN r.question WHEN c."to" = 'awaiting_user' THEN c.question::jsonb END,
  question_asked_at = CASE WHEN c."to" IS NULL THEN r.question_asked_at WHEN c."to" = 'awaiting_user' THEN now() END,
  question_expires_at = CASE WHEN c."to" IS NULL THEN r.question_expires_at WHEN c."to" = 'awaiting_user' THEN now() + c."askSeconds" * interval '1 second' END,
  answer = CASE WHEN c.answer IS NOT NULL THEN c.answer::jsonb
    WHEN c."to" IN ('awaiting_user', 'completed', 'failed', 'cancelled') THEN NULL
    WHEN c."currentStep" > CASE WHEN (r.answer->>'acceptsTarget')::boolean THEN (r.answer->>'step')::int ELSE -1 END THEN NULL ELSE r.answer END${set}
FROM locked_change c
WHERE r.id = c.run
RETURNING r.id AS run, r.status, r.epoch, c.old_status AS "oldStatus", c.old_seq AS "oldSeq", r.event_seq AS "eventSeq", r.attempt_event_seq AS "attemptEventSeq",
  r.project_id AS project, r.fleet_id AS fleet, r.lost_attempts AS "lostAttempts", r.rejected_claims AS "rejectedClaims",
  CASE WHEN c."to" IN ('completed', 'failed', 'cancelled') THEN (extract(epoch FROM now() - r.started_at) * 1000)::float8 END AS "ranMs",
  CASE WHEN c.claims THEN ${claimedRunJson('c.first_intent')} END AS claimed
`;

/** Writes changes of runs. */
export const WRITE_RUNS = runWriteSql();

/**
 * Writes a change of one run and marks an artifact of it as stored: both or neither; nothing if it was marked before.
 * One statement avoids a lock held by a client that is suspended between two. Additional arguments: the artifact, its
 * size and its content type.
 */
export const MARK_ARTIFACT_STORED = runWriteSql(
  `unstored_artifact AS MATERIALIZED (SELECT id, kind FROM artifact WHERE id = ${storedFileSql.id} AND stored_at IS NULL FOR UPDATE),
`,
  ' WHERE EXISTS (SELECT FROM unstored_artifact)',
  `,
marked_artifact AS (
  UPDATE artifact a SET stored_at = now(), size = ${storedFileSql.size}, content_type = ${storedFileSql.contentType} FROM locked_change WHERE a.id = ${storedFileSql.id}
)`,
  `,
  turns_recorded = r.turns_recorded OR EXISTS (SELECT FROM unstored_artifact WHERE kind = 'turn')`,
);
