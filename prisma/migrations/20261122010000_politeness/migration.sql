-- How much of which site runs of a project may take; null: nothing is said.
ALTER TABLE "project" ADD COLUMN "politeness" JSONB;

-- CreateTable
CREATE TABLE "site_pace" (
    "project_id" UUID NOT NULL,
    "holder" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "site_pace_pkey" PRIMARY KEY ("project_id","holder","domain")
);

-- CreateTable
CREATE TABLE "site_visit" (
    "run_id" UUID NOT NULL,
    "holder" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "inside" BOOLEAN NOT NULL,
    "waits_for" TEXT,
    "asked_at" TIMESTAMPTZ(3),
    "again_at" TIMESTAMPTZ(3),

    CONSTRAINT "site_visit_pkey" PRIMARY KEY ("run_id","holder","domain")
);

-- CreateIndex
CREATE INDEX "site_visit_project_id_holder_domain_idx" ON "site_visit"("project_id", "holder", "domain");

-- AddForeignKey
ALTER TABLE "site_pace" ADD CONSTRAINT "site_pace_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE OR REPLACE FUNCTION forget_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM lease l USING gone WHERE l.run_id = gone.id;
  DELETE FROM run_step s USING gone WHERE s.run_id = gone.id;
  DELETE FROM safe_point p USING gone WHERE p.run_id = gone.id;
  DELETE FROM run_event e USING gone WHERE e.run_id = gone.id;
  DELETE FROM site_visit v USING gone WHERE v.run_id = gone.id;
  RETURN NULL;
END
$$;
