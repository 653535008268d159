-- What a run may use up, and all runs in a month; null: nothing is said.
ALTER TABLE "project" ADD COLUMN "budgets" JSONB;

-- What models took of a project in a calendar month (UTC), and what calls at work may come to.
CREATE TABLE "model_month" (
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL DEFAULT 0,
    "usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "held_tokens" BIGINT NOT NULL DEFAULT 0,
    "held_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "model_month_pkey" PRIMARY KEY ("project_id","month")
);

ALTER TABLE "model_month" ADD CONSTRAINT "model_month_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The month that is on begins with what its runs took so far.
INSERT INTO "model_month" ("project_id", "month", "tokens", "usd")
SELECT "project_id", date_trunc('month', now() AT TIME ZONE 'UTC'), sum("used_tokens"), sum("used_usd")
FROM "run"
WHERE "used_calls" > 0 AND "created_at" >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
GROUP BY "project_id";
