-- CreateTable
CREATE TABLE "project" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "max_running" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_version" (
    "workflow_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "definition" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "workflow_version_pkey" PRIMARY KEY ("workflow_id","version")
);

-- CreateTable
CREATE TABLE "fleet" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "min" INTEGER NOT NULL,
    "max" INTEGER NOT NULL,
    "idle" INTEGER NOT NULL,
    "cooldown_seconds" DOUBLE PRECISION NOT NULL,
    "projects" TEXT[],
    "token_hash" TEXT,
    "paused_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_pkey" PRIMARY KEY ("id")
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
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "idle_since" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "fleet_id" UUID NOT NULL,
    "workflow_id" UUID,
    "workflow_version" INTEGER,
    "workflow_name" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "definition" JSON NOT NULL,
    "step_count" INTEGER NOT NULL,
    "inputs" JSON NOT NULL,
    "secret_names" TEXT[],
    "secrets" BYTEA,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "budget" JSONB NOT NULL,
    "record" JSONB NOT NULL,
    "labels" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "dispatch" INTEGER NOT NULL DEFAULT 0,
    "admitted_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "event_seq" INTEGER NOT NULL DEFAULT 0,
    "event_n" INTEGER NOT NULL DEFAULT 0,
    "current_step" INTEGER,
    "used_steps" INTEGER NOT NULL DEFAULT 0,
    "used_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "worker_name" TEXT,
    "output" JSON,
    "error" JSONB,
    "cancel_requested_at" TIMESTAMPTZ(3),
    "cancelled_by" TEXT,
    "retry_of" UUID,
    "expires_at" TIMESTAMPTZ(3),
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
CREATE TABLE "run_step" (
    "run_id" UUID NOT NULL,
    "step" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "rung" INTEGER,
    "value" JSON,
    "error" JSONB,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_step_pkey" PRIMARY KEY ("run_id","step")
);

-- CreateTable
CREATE TABLE "run_event" (
    "run_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "epoch" INTEGER NOT NULL,
    "n" INTEGER,
    "type" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "level" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
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
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stored_at" TIMESTAMPTZ(3),

    CONSTRAINT "artifact_pkey" PRIMARY KEY ("id")
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateTable
CREATE TABLE "heartbeat" (
    "name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "project_slug_key" ON "project"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_project_id_created_at_idx" ON "api_key"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "workflow_project_id_updated_at_idx" ON "workflow"("project_id", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_project_id_name_key" ON "workflow"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "fleet_name_key" ON "fleet"("name");

-- CreateIndex
CREATE UNIQUE INDEX "fleet_token_hash_key" ON "fleet"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "worker_session_key" ON "worker"("session");

-- CreateIndex
CREATE INDEX "worker_fleet_id_state_idx" ON "worker"("fleet_id", "state");

-- CreateIndex
CREATE UNIQUE INDEX "worker_fleet_id_incarnation_key" ON "worker"("fleet_id", "incarnation");

-- CreateIndex
CREATE INDEX "run_project_id_created_at_id_idx" ON "run"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "run_project_id_status_created_at_idx" ON "run"("project_id", "status", "created_at" DESC);

-- CreateIndex
CREATE INDEX "run_workflow_id_created_at_idx" ON "run"("workflow_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "run_fleet_id_status_project_id_priority_created_at_idx" ON "run"("fleet_id", "status", "project_id", "priority" DESC, "created_at");

-- CreateIndex
CREATE INDEX "run_fleet_id_status_admitted_at_idx" ON "run"("fleet_id", "status", "admitted_at");

-- CreateIndex
CREATE INDEX "run_status_expires_at_idx" ON "run"("status", "expires_at");

-- CreateIndex
CREATE INDEX "lease_session_idx" ON "lease"("session");

-- CreateIndex
CREATE UNIQUE INDEX "run_event_run_id_epoch_n_key" ON "run_event"("run_id", "epoch", "n");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_key_key" ON "artifact"("key");

-- CreateIndex
CREATE INDEX "artifact_run_id_created_at_idx" ON "artifact"("run_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "upload_key_key" ON "upload"("key");

-- CreateIndex
CREATE INDEX "upload_project_id_created_at_idx" ON "upload"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow" ADD CONSTRAINT "workflow_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_version" ADD CONSTRAINT "workflow_version_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "worker" ADD CONSTRAINT "worker_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lease" ADD CONSTRAINT "lease_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_step" ADD CONSTRAINT "run_step_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_event" ADD CONSTRAINT "run_event_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload" ADD CONSTRAINT "upload_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "fleet_decision" (
    "id" BIGSERIAL NOT NULL,
    "fleet_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "workers" TEXT[],
    "error" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_decision_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "fleet_decision_fleet_id_at_idx" ON "fleet_decision"("fleet_id", "at" DESC);

-- AddForeignKey
ALTER TABLE "fleet_decision" ADD CONSTRAINT "fleet_decision_fleet_id_fkey" FOREIGN KEY ("fleet_id") REFERENCES "fleet"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Leases are rewritten every second: room on the page keeps the new version beside the old one (a heap-only update).
ALTER TABLE "lease" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
ALTER TABLE "worker" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
ALTER TABLE "run" SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
