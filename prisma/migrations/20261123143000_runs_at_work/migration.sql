-- Runs at work, by fleet and by project: with it the index of all runs by status can go, which each of the two changes of a run made an entry in.
-- CreateIndex
CREATE INDEX CONCURRENTLY "run_at_work_idx" ON "run"("fleet_id", "status", "project_id", "created_at" DESC) WHERE status IN ('queued', 'running', 'awaiting_user');
