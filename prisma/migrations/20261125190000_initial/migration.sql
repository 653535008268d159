-- CreateTable
CREATE TABLE "project" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "max_concurrent_runs" INTEGER,
    "claim_version" INTEGER NOT NULL DEFAULT 0,
    "retention_runs_days" INTEGER,
    "retention_events_days" INTEGER,
    "retention_artifacts_days" INTEGER,
    "egress_allow" JSONB,
    "politeness" JSONB,
    "models" JSONB,
    "agents" JSONB,
    "budgets" JSONB,
    "learning" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_spend" (
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL DEFAULT 0,
    "usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "reserved_tokens" BIGINT NOT NULL DEFAULT 0,
    "reserved_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "model_spend_pkey" PRIMARY KEY ("project_id","month")
);

-- CreateTable
CREATE TABLE "model_spend_reservation" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,
    "usd" DOUBLE PRECISION NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_spend_reservation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_account" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_identity" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_identity_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "membership" (
    "user_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "membership_pkey" PRIMARY KEY ("user_id","project_id")
);

-- CreateTable
CREATE TABLE "user_session" (
    "hash" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_session_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "invitation" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "password_reset" (
    "user_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_reset_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" UUID NOT NULL,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "details" JSON NOT NULL,
    "before" JSON,
    "after" JSON,
    "address" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_attempt" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "window_started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_attempt_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "site_rate" (
    "project_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "last_visit_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "site_rate_pkey" PRIMARY KEY ("project_id","scope","domain")
);

-- CreateTable
CREATE TABLE "site_visit" (
    "run_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "is_open" BOOLEAN NOT NULL,
    "waiting_for" TEXT,
    "requested_at" TIMESTAMPTZ(3),
    "retry_at" TIMESTAMPTZ(3),

    CONSTRAINT "site_visit_pkey" PRIMARY KEY ("run_id","scope","domain")
);

-- CreateTable
CREATE TABLE "profile" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "state" BYTEA NOT NULL,
    "size" INTEGER NOT NULL,
    "cookies" INTEGER NOT NULL,
    "cookie_domains" TEXT[],
    "origins" TEXT[],
    "run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "profile_pkey" PRIMARY KEY ("project_id","name")
);

-- CreateTable
CREATE TABLE "saved_view" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "owner_name" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "shared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_view_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "bootstrap" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "title" TEXT,
    "description" TEXT,
    "surface" TEXT NOT NULL,
    "latest_version" INTEGER NOT NULL,
    "published_version" INTEGER,
    "archived_at" TIMESTAMPTZ(3),
    "thumbnail_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_version" (
    "workflow_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "definition" JSON NOT NULL,
    "source" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "workflow_version_pkey" PRIMARY KEY ("workflow_id","version")
);

-- CreateTable
CREATE TABLE "healed_run" (
    "run_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "healed_run_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "proposal" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "base_version" INTEGER,
    "version" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "policy" TEXT NOT NULL,
    "changes" JSON NOT NULL,
    "notes" TEXT[],
    "runs" UUID[],
    "verification" TEXT NOT NULL,
    "verification_run_id" UUID,
    "verification_reason" TEXT,
    "approved_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,

    CONSTRAINT "proposal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "action_cache" (
    "workflow_id" UUID NOT NULL,
    "step_digest" TEXT NOT NULL,
    "page_digest" TEXT NOT NULL,
    "actions" JSON NOT NULL,
    "call_cost" JSON NOT NULL,
    "run_id" UUID NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "action_cache_pkey" PRIMARY KEY ("workflow_id","step_digest","page_digest")
);

-- CreateTable
CREATE TABLE "fleet" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "min_workers" INTEGER NOT NULL,
    "max_workers" INTEGER NOT NULL,
    "idle_slots" INTEGER NOT NULL,
    "cooldown_seconds" DOUBLE PRECISION NOT NULL,
    "configured_limits" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "limits_managed_by" TEXT,
    "projects" TEXT[],
    "token_hash" TEXT,
    "paused_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "fleet_sample" (
    "fleet_id" UUID NOT NULL,
    "sampled_at" TIMESTAMPTZ(3) NOT NULL,
    "waiting" INTEGER NOT NULL,
    "running" INTEGER NOT NULL,
    "workers" INTEGER NOT NULL,
    "slots" INTEGER NOT NULL,

    CONSTRAINT "fleet_sample_pkey" PRIMARY KEY ("fleet_id","sampled_at")
);

-- CreateTable
CREATE TABLE "fleet_decision" (
    "id" BIGSERIAL NOT NULL,
    "fleet_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "workers" TEXT[],
    "error" TEXT,
    "by" TEXT,
    "decided_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_decision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "fleet_condition" (
    "fleet_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_condition_pkey" PRIMARY KEY ("fleet_id","reason")
);

-- CreateTable
CREATE TABLE "worker" (
    "id" UUID NOT NULL,
    "fleet_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "incarnation" UUID NOT NULL,
    "session" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "slots" INTEGER NOT NULL,
    "busy" INTEGER NOT NULL DEFAULT 0,
    "drain_requested_at" TIMESTAMPTZ(3),
    "cordoned_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "idle_since" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "blocked_worker" (
    "fleet_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "blocked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "blocked_worker_pkey" PRIMARY KEY ("fleet_id","name")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "fleet_id" UUID NOT NULL,
    "workflow_id" UUID,
    "workflow_version" INTEGER,
    "workflow_name" TEXT NOT NULL,
    "goal" TEXT,
    "surface" TEXT NOT NULL,
    "definition" JSON NOT NULL,
    "first_intent" JSON,
    "step_count" INTEGER NOT NULL,
    "inputs" JSON NOT NULL,
    "secret_names" TEXT[],
    "secrets" BYTEA,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "budget" JSONB NOT NULL,
    "capture" JSONB NOT NULL,
    "egress" JSONB,
    "labels" JSONB NOT NULL,
    "model" TEXT,
    "status" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "dispatch_number" INTEGER NOT NULL DEFAULT 0,
    "admitted_at" TIMESTAMPTZ(3),
    "lost_attempts" INTEGER NOT NULL DEFAULT 0,
    "rejected_claims" INTEGER NOT NULL DEFAULT 0,
    "accepted_attempts" INTEGER NOT NULL DEFAULT 0,
    "event_seq" INTEGER NOT NULL DEFAULT 0,
    "attempt_event_seq" INTEGER NOT NULL DEFAULT 0,
    "current_step" INTEGER,
    "used_steps" INTEGER NOT NULL DEFAULT 0,
    "used_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "used_calls" INTEGER NOT NULL DEFAULT 0,
    "used_tokens" BIGINT NOT NULL DEFAULT 0,
    "used_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "unpriced_calls" INTEGER NOT NULL DEFAULT 0,
    "completed_steps" INTEGER NOT NULL DEFAULT 0,
    "model_steps" INTEGER NOT NULL DEFAULT 0,
    "step_retries" INTEGER NOT NULL DEFAULT 0,
    "worker_name" TEXT,
    "output" JSON,
    "error" JSONB,
    "cancel_requested_at" TIMESTAMPTZ(3),
    "cancelled_by" TEXT,
    "retry_of" UUID,
    "turns_recorded" BOOLEAN NOT NULL DEFAULT false,
    "created_by" JSONB,
    "question" JSONB,
    "question_asked_at" TIMESTAMPTZ(3),
    "question_expires_at" TIMESTAMPTZ(3),
    "answer" JSONB,
    "queue_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "attempt_started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "run_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "session" UUID NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "claimed_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "control_session" (
    "run_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "token" SERIAL NOT NULL,
    "operator_id" UUID NOT NULL,
    "operator_name" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_batch" INTEGER NOT NULL DEFAULT 0,
    "files" UUID[] DEFAULT ARRAY[]::UUID[],

    CONSTRAINT "control_session_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "run_step" (
    "run_id" UUID NOT NULL,
    "step" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "tier" INTEGER,
    "value" JSON,
    "error" JSONB,
    "postcondition_was_false" BOOLEAN NOT NULL DEFAULT false,
    "path" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "run_step_pkey" PRIMARY KEY ("run_id","step")
);

-- CreateTable
CREATE TABLE "safe_point" (
    "run_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "state" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "safe_point_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "run_event" (
    "run_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL,
    "attempt_seq" INTEGER,
    "type" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "level" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_event_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "artifact" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "step" INTEGER,
    "kind" TEXT NOT NULL,
    "moment" TEXT,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stored_at" TIMESTAMPTZ(3),

    CONSTRAINT "artifact_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recorded_run" (
    "run_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "recorded_run_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "trace" (
    "run_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "workflow_id" UUID,
    "workflow_version" INTEGER,
    "workflow_name" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "goal" TEXT NOT NULL DEFAULT '',
    "model" TEXT,
    "status" TEXT NOT NULL,
    "quality" TEXT NOT NULL DEFAULT 'unknown',
    "score_version" TEXT,
    "step_count" INTEGER NOT NULL DEFAULT 0,
    "good_count" INTEGER NOT NULL DEFAULT 0,
    "bad_count" INTEGER NOT NULL DEFAULT 0,
    "unknown_count" INTEGER NOT NULL DEFAULT 0,
    "needs_review" BOOLEAN NOT NULL DEFAULT false,
    "sites" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "is_pinned" BOOLEAN NOT NULL DEFAULT false,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "scored_at" TIMESTAMPTZ(3),

    CONSTRAINT "trace_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "trace_step" (
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "turn" INTEGER NOT NULL,
    "branch" TEXT,
    "record_id" UUID NOT NULL,
    "screenshot_id" UUID,
    "thought" TEXT NOT NULL,
    "actions" JSON NOT NULL,
    "quality" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "corrected_thought" TEXT,
    "corrected_actions" JSON,
    "source" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "is_doubtful" BOOLEAN NOT NULL DEFAULT false,
    "note" TEXT,

    CONSTRAINT "trace_step_pkey" PRIMARY KEY ("run_id","ordinal")
);

-- CreateTable
CREATE TABLE "trace_label" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "quality" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "corrected_thought" TEXT,
    "corrected_actions" JSON,
    "source" TEXT NOT NULL,
    "version" TEXT,
    "note" TEXT,
    "created_by" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trace_label_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upload" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upload_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "project_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "run_id" UUID,
    "token" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateTable
CREATE TABLE "heartbeat" (
    "name" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "learning_job" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "dedupe_key" TEXT,
    "params" JSON NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "progress" JSON,
    "checkpoint" JSON,
    "result" JSON,
    "error" JSON,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "lease_expires_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "run_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cancel_requested_at" TIMESTAMPTZ(3),
    "budget_usd" DOUBLE PRECISION,
    "used_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "used_tokens" BIGINT NOT NULL DEFAULT 0,
    "created_by" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "learning_job_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "project_slug_key" ON "project"("slug");

-- CreateIndex
CREATE INDEX "model_spend_reservation_project_id_expires_at_idx" ON "model_spend_reservation"("project_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "user_account_email_key" ON "user_account"("email");

-- CreateIndex
CREATE INDEX "user_identity_user_id_idx" ON "user_identity"("user_id");

-- CreateIndex
CREATE INDEX "membership_project_id_created_at_idx" ON "membership"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "user_session_user_id_idx" ON "user_session"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_hash_key" ON "invitation"("hash");

-- CreateIndex
CREATE INDEX "invitation_project_id_created_at_idx" ON "invitation"("project_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_project_id_email_key" ON "invitation"("project_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "password_reset_hash_key" ON "password_reset"("hash");

-- CreateIndex
CREATE INDEX "audit_entry_project_id_created_at_id_idx" ON "audit_entry"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_actor_id_created_at_idx" ON "audit_entry"("actor_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_created_at_idx" ON "audit_entry"("created_at");

-- CreateIndex
CREATE INDEX "site_visit_project_id_scope_domain_idx" ON "site_visit"("project_id", "scope", "domain");

-- CreateIndex
CREATE UNIQUE INDEX "saved_view_project_id_owner_id_name_key" ON "saved_view"("project_id", "owner_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_project_id_created_at_idx" ON "api_key"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "workflow_project_id_updated_at_idx" ON "workflow"("project_id", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_project_id_name_key" ON "workflow"("project_id", "name");

-- CreateIndex
CREATE INDEX "proposal_project_id_created_at_id_idx" ON "proposal"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "proposal_verification_idx" ON "proposal"("verification_run_id") WHERE (verification = 'running');

-- CreateIndex
CREATE INDEX "proposal_verification_run_id_idx" ON "proposal"("verification_run_id") WHERE (verification_run_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "proposal_runs_idx" ON "proposal" USING GIN ("runs");

-- CreateIndex
CREATE INDEX "proposal_publishable_idx" ON "proposal"("workflow_id") WHERE (status = 'open' AND verification = 'passed' AND (approved_by IS NOT NULL OR policy = 'publish'));

-- CreateIndex
CREATE UNIQUE INDEX "proposal_workflow_id_version_key" ON "proposal"("workflow_id", "version");

-- CreateIndex
CREATE INDEX "action_cache_workflow_id_last_used_at_idx" ON "action_cache"("workflow_id", "last_used_at");

-- CreateIndex
CREATE UNIQUE INDEX "fleet_name_key" ON "fleet"("name");

-- CreateIndex
CREATE UNIQUE INDEX "fleet_token_hash_key" ON "fleet"("token_hash");

-- CreateIndex
CREATE INDEX "fleet_decision_fleet_id_decided_at_idx" ON "fleet_decision"("fleet_id", "decided_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "worker_session_key" ON "worker"("session");

-- CreateIndex
CREATE INDEX "worker_fleet_id_state_idx" ON "worker"("fleet_id", "state");

-- CreateIndex
CREATE UNIQUE INDEX "worker_fleet_id_incarnation_key" ON "worker"("fleet_id", "incarnation");

-- CreateIndex
CREATE INDEX "run_project_id_created_at_id_idx" ON "run"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "run_failed_cancelled_idx" ON "run"("project_id", "status", "created_at" DESC) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]));

-- CreateIndex
CREATE INDEX "run_workflow_id_created_at_idx" ON "run"("workflow_id", "created_at" DESC) WHERE (workflow_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "run_backlog_idx" ON "run"("fleet_id", "project_id", "priority" DESC, "created_at") WHERE (status = 'queued' AND admitted_at IS NULL);

-- CreateIndex
CREATE INDEX "run_admitted_idx" ON "run"("fleet_id", "admitted_at") WHERE (status = 'queued' AND admitted_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "run_expiry_idx" ON "run"("queue_expires_at") WHERE (status = 'queued' AND queue_expires_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "run_question_expiry_idx" ON "run"("question_expires_at") WHERE (status = 'awaiting_user');

-- CreateIndex
CREATE INDEX "run_active_idx" ON "run"("fleet_id", "status", "project_id", "created_at" DESC) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text, 'awaiting_user'::text]));

-- CreateIndex
CREATE INDEX "lease_session_idx" ON "lease"("session");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_key_key" ON "artifact"("key");

-- CreateIndex
CREATE INDEX "artifact_run_id_created_at_idx" ON "artifact"("run_id", "created_at");

-- CreateIndex
CREATE INDEX "trace_project_id_created_at_run_id_idx" ON "trace"("project_id", "created_at" DESC, "run_id" DESC);

-- CreateIndex
CREATE INDEX "trace_review_idx" ON "trace"("project_id", "created_at" DESC, "run_id" DESC) WHERE (needs_review);

-- CreateIndex
CREATE INDEX "trace_project_id_quality_created_at_idx" ON "trace"("project_id", "quality", "created_at" DESC);

-- CreateIndex
CREATE INDEX "trace_project_id_workflow_name_created_at_idx" ON "trace"("project_id", "workflow_name", "created_at" DESC);

-- CreateIndex
CREATE INDEX "trace_project_id_surface_created_at_idx" ON "trace"("project_id", "surface", "created_at" DESC);

-- CreateIndex
CREATE INDEX "trace_project_id_model_created_at_idx" ON "trace"("project_id", "model", "created_at" DESC);

-- CreateIndex
CREATE INDEX "trace_label_reviewer_idx" ON "trace_label"("run_id", "ordinal") WHERE (version IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "trace_label_run_id_ordinal_source_version_key" ON "trace_label"("run_id", "ordinal", "source", "version");

-- CreateIndex
CREATE UNIQUE INDEX "upload_key_key" ON "upload"("key");

-- CreateIndex
CREATE INDEX "upload_project_id_created_at_idx" ON "upload"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE INDEX "learning_job_project_id_created_at_id_idx" ON "learning_job"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "learning_job_queue_idx" ON "learning_job"("project_id", "run_at", "id") WHERE (status = 'queued');

-- CreateIndex
CREATE INDEX "learning_job_running_idx" ON "learning_job"("project_id", "lease_expires_at") WHERE (status = 'running');

-- CreateIndex
CREATE INDEX "learning_job_finished_at_idx" ON "learning_job"("finished_at");

-- CreateIndex
CREATE UNIQUE INDEX "learning_job_project_id_kind_dedupe_key_key" ON "learning_job"("project_id", "kind", "dedupe_key");

-- AddForeignKey
ALTER TABLE "model_spend" ADD CONSTRAINT "model_spend_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_spend_reservation" ADD CONSTRAINT "model_spend_reservation_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_identity" ADD CONSTRAINT "user_identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_session" ADD CONSTRAINT "user_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_reset" ADD CONSTRAINT "password_reset_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_rate" ADD CONSTRAINT "site_rate_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "profile" ADD CONSTRAINT "profile_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow" ADD CONSTRAINT "workflow_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_version" ADD CONSTRAINT "workflow_version_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "proposal" ADD CONSTRAINT "proposal_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "action_cache" ADD CONSTRAINT "action_cache_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "fleet_sample" ADD CONSTRAINT "fleet_sample_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "fleet_decision" ADD CONSTRAINT "fleet_decision_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "fleet_condition" ADD CONSTRAINT "fleet_condition_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "worker" ADD CONSTRAINT "worker_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "blocked_worker" ADD CONSTRAINT "blocked_worker_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trace" ADD CONSTRAINT "trace_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trace" ADD CONSTRAINT "trace_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trace_step" ADD CONSTRAINT "trace_step_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "trace"("run_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trace_label" ADD CONSTRAINT "trace_label_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "trace"("run_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload" ADD CONSTRAINT "upload_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learning_job" ADD CONSTRAINT "learning_job_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "registry_model" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "base" TEXT,
    "role" TEXT NOT NULL DEFAULT '',
    "surface" TEXT NOT NULL DEFAULT '',
    "dialect" TEXT,
    "region" TEXT,
    "description" TEXT,
    "dataset_id" UUID,
    "job_id" UUID,
    "metrics" JSONB NOT NULL,
    "stage" TEXT NOT NULL DEFAULT 'registered',
    "canary_percent" INTEGER,
    "shadow_percent" INTEGER,
    "baseline" JSONB,
    "stage_changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "registry_model_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "registry_transition" (
    "id" BIGSERIAL NOT NULL,
    "model_id" UUID NOT NULL,
    "from_stage" TEXT NOT NULL,
    "to_stage" TEXT NOT NULL,
    "canary_percent" INTEGER,
    "shadow_percent" INTEGER,
    "reason" TEXT,
    "actor" JSONB,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "registry_transition_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "registry_shadow" (
    "id" BIGSERIAL NOT NULL,
    "model_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "step" INTEGER,
    "role" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "same_kind" BOOLEAN,
    "same_target" BOOLEAN,
    "same_text" BOOLEAN,
    "base_model" TEXT NOT NULL,
    "problem" TEXT,
    "input_tokens" INTEGER NOT NULL DEFAULT 0,
    "output_tokens" INTEGER NOT NULL DEFAULT 0,
    "usd" DOUBLE PRECISION,
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "registry_shadow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "registry_run" (
    "model_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "arm" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "registry_run_pkey" PRIMARY KEY ("model_id","run_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "registry_model_project_id_name_key" ON "registry_model"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "registry_model_canary_idx" ON "registry_model"("project_id", "role", "surface") WHERE (stage = 'canary');

-- CreateIndex
CREATE UNIQUE INDEX "registry_model_shadow_idx" ON "registry_model"("project_id", "role", "surface") WHERE (stage = 'shadow');

-- CreateIndex
CREATE UNIQUE INDEX "registry_model_active_idx" ON "registry_model"("project_id", "role", "surface") WHERE (stage = 'active');

-- CreateIndex
CREATE INDEX "registry_transition_model_id_id_idx" ON "registry_transition"("model_id", "id" DESC);

-- CreateIndex
CREATE INDEX "registry_shadow_model_id_id_idx" ON "registry_shadow"("model_id", "id" DESC);

-- CreateIndex
CREATE INDEX "registry_run_run_id_idx" ON "registry_run"("run_id");

-- CreateIndex
CREATE INDEX "registry_run_model_id_arm_added_at_idx" ON "registry_run"("model_id", "arm", "added_at" DESC);

-- AddForeignKey
ALTER TABLE "registry_model" ADD CONSTRAINT "registry_model_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registry_transition" ADD CONSTRAINT "registry_transition_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "registry_model"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registry_shadow" ADD CONSTRAINT "registry_shadow_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "registry_model"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registry_run" ADD CONSTRAINT "registry_run_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "registry_model"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registry_run" ADD CONSTRAINT "registry_run_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Leases and workers are updated every second. Free space on each page allows heap-only tuple (HOT) updates.
ALTER TABLE "lease" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
ALTER TABLE "worker" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
ALTER TABLE "run" SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);

-- These tables have no foreign key to "run": the check of each row costs a tenth of the statement that writes it. The trigger deletes their rows.
CREATE FUNCTION forget_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM lease l USING gone WHERE l.run_id = gone.id;
  DELETE FROM run_step s USING gone WHERE s.run_id = gone.id;
  DELETE FROM safe_point p USING gone WHERE p.run_id = gone.id;
  DELETE FROM run_event e USING gone WHERE e.run_id = gone.id;
  DELETE FROM site_visit v USING gone WHERE v.run_id = gone.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER run_forgets AFTER DELETE ON "run" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_runs();

-- CreateTable
CREATE TABLE "dataset" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'building',
    "query" JSON NOT NULL,
    "shares" JSON NOT NULL,
    "seed" INTEGER NOT NULL,
    "license" TEXT NOT NULL,
    "consent" TEXT NOT NULL,
    "example_count" INTEGER NOT NULL DEFAULT 0,
    "card" JSON,
    "job_id" UUID,
    "error" TEXT,
    "stale_at" TIMESTAMPTZ(3),
    "created_by" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "dataset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dataset_item" (
    "dataset_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "split" TEXT NOT NULL,
    "quality" TEXT NOT NULL,
    "text_hash" TEXT NOT NULL,
    "perceptual_hash" TEXT,
    "image_sha256" TEXT,

    CONSTRAINT "dataset_item_pkey" PRIMARY KEY ("dataset_id","run_id","ordinal")
);

-- CreateTable
CREATE TABLE "dataset_export" (
    "id" UUID NOT NULL,
    "dataset_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'running',
    "options" JSON NOT NULL,
    "report" JSON,
    "files" JSON NOT NULL DEFAULT '[]',
    "job_id" UUID,
    "error" TEXT,
    "created_by" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "dataset_export_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "dataset_project_id_created_at_id_idx" ON "dataset"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "dataset_project_id_name_version_key" ON "dataset"("project_id", "name", "version");

-- CreateIndex
CREATE INDEX "dataset_item_run_id_idx" ON "dataset_item"("run_id");

-- CreateIndex
CREATE INDEX "dataset_export_dataset_id_created_at_id_idx" ON "dataset_export"("dataset_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "dataset" ADD CONSTRAINT "dataset_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset_item" ADD CONSTRAINT "dataset_item_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset_export" ADD CONSTRAINT "dataset_export_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "unmeasured_run" (
    "run_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unmeasured_run_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "run_saving" (
    "run_id" UUID NOT NULL,
    "mechanism" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "workflow_name" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "tokens" BIGINT NOT NULL,
    "usd" DOUBLE PRECISION,
    "seconds" DOUBLE PRECISION NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "run_saving_pkey" PRIMARY KEY ("run_id","mechanism")
);

-- CreateTable
CREATE TABLE "goal_run" (
    "run_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "intent_id" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "goal" TEXT NOT NULL,
    "workflow_name" TEXT NOT NULL,
    "tokens" BIGINT NOT NULL,
    "usd" DOUBLE PRECISION,
    "seconds" DOUBLE PRECISION NOT NULL,
    "action_count" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "goal_run_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "dismissed_goal" (
    "project_id" UUID NOT NULL,
    "intent_id" TEXT NOT NULL,
    "dismissed_by" JSONB NOT NULL,
    "dismissed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dismissed_goal_pkey" PRIMARY KEY ("project_id","intent_id")
);

-- CreateTable
CREATE TABLE "compilation" (
    "workflow_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "intent_id" TEXT NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "usd" DOUBLE PRECISION,
    "seconds" DOUBLE PRECISION NOT NULL,
    "run_count" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "compilation_pkey" PRIMARY KEY ("workflow_id","version")
);

-- CreateIndex
CREATE INDEX "run_saving_project_id_at_idx" ON "run_saving"("project_id", "at");

-- CreateIndex
CREATE INDEX "goal_run_project_id_at_idx" ON "goal_run"("project_id", "at");

-- CreateIndex
CREATE INDEX "goal_run_project_id_intent_id_at_idx" ON "goal_run"("project_id", "intent_id", "at");

-- CreateIndex
CREATE INDEX "compilation_intent_id_idx" ON "compilation"("intent_id");

-- AddForeignKey
ALTER TABLE "run_saving" ADD CONSTRAINT "run_saving_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_saving" ADD CONSTRAINT "run_saving_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_run" ADD CONSTRAINT "goal_run_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_run" ADD CONSTRAINT "goal_run_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dismissed_goal" ADD CONSTRAINT "dismissed_goal_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "compilation" ADD CONSTRAINT "compilation_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;
