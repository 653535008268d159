-- AlterTable
ALTER TABLE "run" ADD COLUMN     "unverified_steps" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "run_step" ADD COLUMN     "effect" TEXT,
ADD COLUMN     "effect_reason" TEXT,
ADD COLUMN     "outcome" TEXT;
