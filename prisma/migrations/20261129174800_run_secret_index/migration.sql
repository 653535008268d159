-- CreateIndex
CREATE INDEX CONCURRENTLY "run_secret_idx" ON "run"("project_id", "created_at" DESC) WHERE (secret_references IS NOT NULL);
