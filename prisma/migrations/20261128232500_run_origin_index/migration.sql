-- Runs by origin, newest first. Most runs are started by the API and need no entry: lists of them read the index by time.
CREATE INDEX CONCURRENTLY "run_origin_idx" ON "run"("project_id", (origin #> '{kind}'), "created_at" DESC, "id" DESC) WHERE ((origin #> '{kind}') <> '"api"');
