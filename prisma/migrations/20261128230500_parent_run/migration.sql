-- AlterTable
ALTER TABLE "run" ADD COLUMN     "parent_run_id" UUID;
