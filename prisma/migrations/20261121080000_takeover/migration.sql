-- AlterTable
ALTER TABLE "project" ADD COLUMN     "keep_artifacts_days" INTEGER,
ADD COLUMN     "keep_events_days" INTEGER,
ADD COLUMN     "keep_runs_days" INTEGER;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "answer" JSONB,
ADD COLUMN     "ask_until" TIMESTAMPTZ(3),
ADD COLUMN     "asked_at" TIMESTAMPTZ(3),
ADD COLUMN     "lost" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "question" JSONB;

-- AlterTable
ALTER TABLE "run_step" ADD COLUMN     "telling" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "safe_point" (
    "run_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "state" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "safe_point_pkey" PRIMARY KEY ("run_id")
);

-- AddForeignKey
ALTER TABLE "safe_point" ADD CONSTRAINT "safe_point_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
