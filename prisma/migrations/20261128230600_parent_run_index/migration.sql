-- CreateIndex
CREATE INDEX CONCURRENTLY "run_parent_idx" ON "run"("parent_run_id", "created_at" DESC, "id" DESC) WHERE (parent_run_id IS NOT NULL);
