-- AlterTable
ALTER TABLE "project" ADD COLUMN     "agents" JSONB;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "acted_steps" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "model_steps" INTEGER NOT NULL DEFAULT 0;

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
    "base" INTEGER,
    "version" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "policy" TEXT NOT NULL,
    "changes" JSON NOT NULL,
    "notes" TEXT[],
    "runs" UUID[],
    "proof" TEXT NOT NULL,
    "proof_run_id" UUID,
    "proof_why" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,

    CONSTRAINT "proposal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "action_memory" (
    "workflow_id" UUID NOT NULL,
    "step" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "moves" JSON NOT NULL,
    "run_id" UUID NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "action_memory_pkey" PRIMARY KEY ("workflow_id","step","key")
);

-- CreateIndex
CREATE INDEX "proposal_project_id_created_at_id_idx" ON "proposal"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "proposal_proof_idx" ON "proposal"("proof_run_id") WHERE (proof = 'running');

-- CreateIndex
CREATE UNIQUE INDEX "proposal_workflow_id_version_key" ON "proposal"("workflow_id", "version");

-- CreateIndex
CREATE INDEX "action_memory_workflow_id_used_at_idx" ON "action_memory"("workflow_id", "used_at");

-- AddForeignKey
ALTER TABLE "proposal" ADD CONSTRAINT "proposal_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "action_memory" ADD CONSTRAINT "action_memory_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;


