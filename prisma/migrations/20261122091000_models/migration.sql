-- Which models a project uses, by what they are asked for; null: those of the installation.
ALTER TABLE "project" ADD COLUMN "models" JSONB;

-- What models took for a run, over all attempts.
ALTER TABLE "run" ADD COLUMN "used_calls" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "used_tokens" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "used_usd" DOUBLE PRECISION NOT NULL DEFAULT 0;
