-- Two replicas that count the runs of a project at the same moment do not both take up to its limit.
ALTER TABLE "project" ADD COLUMN "claims" INTEGER NOT NULL DEFAULT 0;
