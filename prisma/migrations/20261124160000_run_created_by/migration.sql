-- The API key or user that submitted a run.
ALTER TABLE "run" ADD COLUMN "created_by" JSONB;
