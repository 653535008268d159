-- DropIndex
DROP INDEX "run_project_id_status_created_at_idx";

-- DropIndex
DROP INDEX "run_live_idx";
