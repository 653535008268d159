-- RenameTable: jobs are one system for all kinds of background work
ALTER TABLE "learning_job" RENAME TO "job";
ALTER TABLE "job" RENAME CONSTRAINT "learning_job_pkey" TO "job_pkey";
ALTER TABLE "job" RENAME CONSTRAINT "learning_job_project_id_fkey" TO "job_project_id_fkey";

-- RenameIndex
ALTER INDEX "learning_job_project_id_created_at_id_idx" RENAME TO "job_project_id_created_at_id_idx";
ALTER INDEX "learning_job_queue_idx" RENAME TO "job_queue_idx";
ALTER INDEX "learning_job_running_idx" RENAME TO "job_running_idx";
ALTER INDEX "learning_job_finished_at_idx" RENAME TO "job_finished_at_idx";
ALTER INDEX "learning_job_project_id_kind_dedupe_key_key" RENAME TO "job_project_id_kind_dedupe_key_key";
