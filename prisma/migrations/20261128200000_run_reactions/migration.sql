-- DropTable
DROP TABLE "healed_run";

-- DropTable
DROP TABLE "recorded_run";

-- DropTable
DROP TABLE "unmeasured_run";

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "has_healed_step" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "run_reaction" (
    "run_id" UUID NOT NULL,
    "reaction" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "run_reaction_pkey" PRIMARY KEY ("run_id","reaction")
);

-- CreateIndex
CREATE INDEX "run_reaction_due_at_idx" ON "run_reaction"("due_at");
