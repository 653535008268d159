-- Of runs that have ended those that are looked for among many: most are completed.
-- CreateIndex
CREATE INDEX CONCURRENTLY "run_not_completed_idx" ON "run"("project_id", "status", "created_at" DESC) WHERE status IN ('failed', 'cancelled');
