-- Room of calls at work: that of a gateway that died is given back when its time is over.
CREATE TABLE "model_hold" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,
    "usd" DOUBLE PRECISION NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_hold_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "model_hold_project_id_idx" ON "model_hold"("project_id");

ALTER TABLE "model_hold" ADD CONSTRAINT "model_hold_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was held before has no row that could end.
UPDATE "model_month" SET "held_tokens" = 0, "held_usd" = 0 WHERE "held_tokens" <> 0 OR "held_usd" <> 0;
